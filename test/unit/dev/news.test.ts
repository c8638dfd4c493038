/** Checks the line of each kind of message. */
import { expect, test } from 'vitest';
import { proposedLine } from '../../../shared/dev/proposal-lines.ts';

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
  expect(proposedLine('builder', JSON.stringify(message))).toBe(line);
});

test('a message that is no JSON is one line, too', () => {
  expect(proposedLine('builder', '{')).toBe('builder  a message that is no JSON  proposed');
});
