/** Checks the line of each kind of message. */
import { expect, test } from 'vitest';
import { newsOf } from '../../../shared/dev/proposal-lines.ts';

const told = (raw: string): readonly string[] => {
  const lines: string[] = [];
  newsOf('dev', (line) => lines.push(line)).proposed('builder', raw);
  return lines;
};

test.each([
  [{ proposalId: 'p-1', toolName: 'Bash', input: { command: 'a secret' } }, 'builder  Bash  p-1  proposed'],
  [
    { proposalId: 'p-1', kind: 'tool-call', calls: [{ toolName: 'A' }, { toolName: 'B' }] },
    'builder  A, B  p-1  proposed',
  ],
  [{ proposalId: 'p-1', kind: 'input-request', question: 'Which?' }, 'builder  input-request  p-1  proposed'],
  [{ toolName: 'Evil\u001b[2J\nname' }, 'builder  Evil [2J name  proposed'],
  [[], 'builder  a message  proposed'],
  [null, 'builder  a message that is no JSON  proposed'],
])('%j is one line, without its input', (message, line) => {
  expect(told(JSON.stringify(message))).toEqual([line]);
});

test('a message that is no JSON is one line, too', () => {
  expect(told('{')).toEqual(['builder  a message that is no JSON  proposed']);
});
