/**
 * Compares the copy of the cases with their original, where that folder stands beside the checkout.
 *
 * No other file of the repository looks outside of it: `npm run lint` exempts this one by its name.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CASES, type CaseFile, readCases } from './case-files.ts';

const ORIGINAL = join(import.meta.dirname, '../../../shared/cases');
const DATA: readonly CaseFile[] = ['seeds.jsonl', 'security.jsonl'];

/** The original's text, or `undefined` in a checkout that stands alone. */
const originalOf = (name: string): string | undefined =>
  existsSync(ORIGINAL) ? readFileSync(join(ORIGINAL, name), 'utf8') : undefined;

test.each(DATA)('%s: every line of the copy is a case with an id of its own', (name) => {
  const ids = readCases<{ readonly id: string }>(name).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(200);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[\w.-]+$/.test(id))).toBe(true);
});

// The copy of README.md names no path outside of the repository, so it differs from the original.
test.each([...DATA, 'FORMAT.md'])('%s: the copy is the original, where there is one', (name) => {
  const copy = readFileSync(join(CASES, name), 'utf8');
  const same = copy === (originalOf(name) ?? copy);
  expect(same, `${name} differs from the original: cp ${join(ORIGINAL, name)} ${join(CASES, name)}`).toBe(true);
});
