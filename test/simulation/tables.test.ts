/** Checks that no experiment and no guarantee is left out, and that each test that is named is there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GUARANTEES } from './judge/guarantees.ts';
import { ELSEWHERE, EXPERIMENTS } from './mutants/experiments.ts';
import { MUTANTS } from './mutants/mutants.ts';

const LAST_EXPERIMENT = 27;
const [FIRST, LAST] = [15, 42];

const ids = (letter: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${letter}${from + index}`);
const numbered = (text: string) => text.match(/\bE\d+\b/g) ?? [];

test('each experiment is a mutant, or says where it is played', () => {
  const named = [...EXPERIMENTS, ...ELSEWHERE].flatMap(({ name }) => numbered(name));
  expect(new Set(named)).toEqual(new Set(ids('E', 1, LAST_EXPERIMENT)));
});

test('no two mutants have one name', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

test.each(ELSEWHERE.filter((one) => one.test))('the test is there: $name', ({ test: file = '' }) => {
  expect(existsSync(file)).toBe(true);
});

describe('a guarantee', () => {
  const judges = globSync(join(import.meta.dirname, 'judge/*.ts')).map((file) => readFileSync(file, 'utf8'));
  const checked = new Set(judges.flatMap((source) => source.match(/(?<=')G\d+(?=')/g) ?? []));

  test('has its line', () => {
    expect(Object.keys(GUARANTEES)).toEqual(ids('G', FIRST, LAST));
  });

  test.each(Object.entries(GUARANTEES))(
    '%s is named by a check of the judge, or by a test that cites it',
    (id, shown) => {
      expect(checked.has(id)).toBe('checked' in shown);
      if ('test' in shown) expect(readFileSync(shown.test, 'utf8')).toContain(id);
    },
  );
});
