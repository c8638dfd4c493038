/** Tests the model of programs with hooks: which ends let a call run. */
import { expect, test } from 'vitest';
import { type Fate, fateInClaude, fateInCodex, type HookEnd, isErrorInCodex } from './fate.ts';

const ended = (code: number | null, out = '', err = ''): HookEnd => ({ code, out, err });
const pre = (permissionDecision: string) =>
  JSON.stringify({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: 'no' } });

test.each<[string, HookEnd, Fate, Fate]>([
  ['exit 1', ended(1), 'runs', 'blocked'],
  ['a missing file', ended(127), 'runs', 'blocked'],
  ['a program that cannot start', 'cannot start', 'runs', 'blocked'],
  ['a time-out', 'timed out', 'runs', 'blocked'],
  ['an end by a signal', ended(null), 'runs', 'blocked'],
  ['HTTP 503', { status: 503, body: '' }, 'runs', 'blocked'],
  ['HTTP 401', { status: 401, body: pre('deny') }, 'runs', 'blocked'],
  ['garbled JSON with exit 0', ended(0, '{"hookSpec'), 'runs', 'runs'],
  ['nothing with exit 0', ended(0), 'other rules', 'other rules'],
  ['exit 2', ended(2, '', 'no'), 'blocked', 'blocked'],
  ['deny', ended(0, pre('deny')), 'blocked', 'blocked'],
  ['deny over HTTP', { status: 200, body: pre('deny') }, 'blocked', 'blocked'],
])('Claude Code, %s', (_, end, byDefault, withBlock) => {
  expect([fateInClaude(end), fateInClaude(end, 'block')]).toEqual([byDefault, withBlock]);
});

test.each<[string, HookEnd, Fate]>([
  ['exit 1', ended(1), 'runs'],
  ['exit 2 without a reason', ended(2), 'runs'],
  ['a time-out', 'timed out', 'runs'],
  ['garbled JSON with exit 0', ended(0, '{'), 'runs'],
  ['exit 2 with a reason', ended(2, '', 'no'), 'blocked'],
  ['deny with a reason', ended(0, pre('deny')), 'blocked'],
])('Codex, %s', (_, end, fate) => {
  expect(fateInCodex(end)).toBe(fate);
});

test('Codex takes a bare allow for an error', () => {
  expect(isErrorInCodex(pre('allow'))).toBe(true);
  expect(isErrorInCodex('{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}')).toBe(false);
});
