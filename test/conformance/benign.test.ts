/** The benign corpus is well formed: rows of a known shape, each command once for its mode and folder. */
import { expect, test } from 'vitest';
import { isMet, judgeBenign, readBenign } from './benign.ts';

const rows = readBenign();

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

test('a row that wants to be asked accepts a refusal, and no other row accepts anything else', async () => {
  const [outcome] = await judgeBenign(rows.slice(0, 1));
  if (!outcome) throw new Error('the corpus is empty');
  const met = (wanted: 'allow' | 'ask' | 'deny') =>
    (['allow', 'ask', 'deny', 'error'] as const).filter((verdict) =>
      isMet({ ...outcome, verdict, row: { ...outcome.row, expect: wanted } }),
    );
  expect([met('allow'), met('ask'), met('deny')]).toEqual([['allow'], ['ask', 'deny', 'error'], ['deny']]);
});
