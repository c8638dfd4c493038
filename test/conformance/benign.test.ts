/** Checks that the benign corpus is well formed, and the gate answers it as a careful team would. */
import { beforeAll, expect, test } from 'vitest';
import { type BenignOutcome, type BenignRow, isMet, judgeBenign, MIN_ALLOWED, readBenign } from './benign.ts';

let rows: readonly BenignRow[] = [];
let outcomes: readonly BenignOutcome[] = [];

beforeAll(async () => {
  rows = readBenign();
  outcomes = await judgeBenign(rows);
});

test('every row says what it wants, and why', () => {
  expect(rows.length).toBeGreaterThanOrEqual(560);
  for (const { id, command, mode, cwd, expect: wanted, why, ...unknown } of rows) {
    expect(unknown, id).toEqual({});
    expect(id).toMatch(/^[a-z]+-\d{3}$/);
    expect(command, id).not.toBe('');
    expect(why, id).toMatch(/^.{10,120}$/);
    expect(['default', 'acceptEdits'], id).toContain(mode);
    expect(['allow', 'ask', 'deny'], id).toContain(wanted);
    expect(cwd ?? '/', id).toMatch(/^\//);
  }
});

test('no id and no call stands there twice', () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  expect(new Set(rows.map(({ command, mode, cwd }) => JSON.stringify([command, mode, cwd]))).size).toBe(rows.length);
});

test('most rows are ordinary: a corpus of attacks would say nothing about needless questions', () => {
  expect(rows.filter((row) => row.expect === 'allow').length / rows.length).toBeGreaterThan(0.65);
});

test('a row that wants to be asked accepts a refusal, and no other row accepts anything else', () => {
  const [outcome] = outcomes;
  if (!outcome) throw new Error('the corpus is empty');
  const met = (wanted: 'allow' | 'ask' | 'deny') =>
    (['allow', 'ask', 'deny', 'error'] as const).filter((verdict) =>
      isMet({ ...outcome, verdict, row: { ...outcome.row, expect: wanted } }),
    );
  expect([met('allow'), met('ask'), met('deny')]).toEqual([['allow'], ['ask', 'deny', 'error'], ['deny']]);
});

/** One line for each, so that a failure shows what differs. */
const linesOf = (of: readonly BenignOutcome[]): string[] =>
  of.map(({ row, verdict, message }) => `${row.id} ${row.expect} → ${verdict}: ${row.command} (${message})`);

test(`at least ${100 * MIN_ALLOWED} % of what a careful team lets pass is allowed`, () => {
  const wanted = outcomes.filter(({ row }) => row.expect === 'allow');
  const needless = wanted.filter((outcome) => !isMet(outcome));
  const share = 1 - needless.length / wanted.length;
  expect(share, linesOf(needless).join('\n')).toBeGreaterThanOrEqual(MIN_ALLOWED);
});

test.each(['ask', 'deny'] as const)('what a careful team wants to %s is never let pass', (wanted) => {
  const loose = outcomes.filter((outcome) => outcome.row.expect === wanted && !isMet(outcome));
  expect(linesOf(loose)).toEqual([]);
});
