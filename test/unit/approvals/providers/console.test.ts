/** Checks the console provider, the default one of the seed (R4-001, R4-148 … R4-150). */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { StreamTerminal } from '../../../../shared/approvals/askers/terminal.ts';
import { ConsoleHumanLoopProvider } from '../../../../shared/approvals/providers/console.ts';
import type { HumanLoopRequest } from '../../../../shared/ports/human-loop.ts';

const asking = async (line: string | null, request: Partial<HumanLoopRequest> = {}) => {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(line === null ? '' : `${line}\n`);
  const provider = new ConsoleHumanLoopProvider(new StreamTerminal(input, output));
  const whole = { kind: 'approval', requestId: 'r', prompt: 'May it?', toolName: 'delete_file', ...request } as const;
  const answer = await provider.request({ args: { path: '/important/data.csv', n: [1, 2] }, ...whole });
  return { answer, shown: String(output.read()) };
};

test('R4-148: the question in the words of the seed, to the letter', async () => {
  expect((await asking('y')).shown).toBe(
    '🔔 Tool [delete_file] requires human approval\n   Args: {"path": "/important/data.csv", "n": [1, 2]}\n   Approve? (y/n): ',
  );
});

test('R4-148, G22: what does not show, or moves the cursor, is spelled out', async () => {
  const { shown } = await asking('n', { toolName: 'a\u001b[2Kb', args: { 'k\u202e': 'x\u0007\u200b' } });
  expect(shown).toBe(
    '🔔 Tool [a\\u{001b}[2Kb] requires human approval\n   Args: {"k\\u202e": "x\\u0007\\u200b"}\n   Approve? (y/n): ',
  );
});

test.each(['y', 'Y', 'yes', 'YES', 'Yes', ' y ', 'y\r'])('R4-149: %j approves', async (line) =>
  expect((await asking(line)).answer).toEqual({ kind: 'Approved' }),
);

test.each(['n', 'no', 'maybe', 'yess', 'ye', 'yes please', 'ja', '1', 'true'])(
  'R4-149: %j rejects, and is the reason',
  async (line) => expect((await asking(line)).answer).toEqual({ kind: 'Rejected', reason: line }),
);

test.each(['', '   ', null])('R4-149: %j rejects without a reason', async (line) =>
  expect((await asking(line)).answer).toEqual({ kind: 'Rejected' }),
);

test('R4-001: an input is free text; none is no text', async () => {
  const input = { kind: 'input', prompt: 'Which host?' } as const;
  expect(await asking(' db-1 ', input)).toEqual({
    answer: { kind: 'Text', text: 'db-1' },
    shown: '💬 Which host?\n   > ',
  });
  expect((await asking('yes', input)).answer).toEqual({ kind: 'Text', text: 'yes' });
  expect((await asking(null, input)).answer).toEqual({ kind: 'Timeout' });
});

test('R4-150: without a terminal of its own it is that of the process', () => {
  expect(() => new ConsoleHumanLoopProvider()).not.toThrow();
});
