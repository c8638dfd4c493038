/** Every case of seed 3, one test each. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { SeedCase } from './seeds/seed-0.ts';
import { interpretSeed3 } from './seeds/seed-3.ts';

const file = new URL('../../../shared/cases/seeds.jsonl', import.meta.url);
const cases = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as SeedCase & { readonly why: string })
  .filter(({ seed }) => seed === 3);

describe('seed 3', () => {
  test.each(cases.map((one) => [`${one.id}: ${one.why}`, one] as const))('%s', async (_name, one) => {
    const { passed, got } = await interpretSeed3(one);
    expect(passed, JSON.stringify({ expected: one.expect, got }, null, 2)).toBe(true);
  });

  test('what cannot be interpreted has failed', async () => {
    const base = { id: 'x', seed: 3, given: { provider: 'ok' }, expect: { status: 'Ok' } };
    expect((await interpretSeed3({ ...base, feature: 'retry' })).passed).toBe(true);
    expect((await interpretSeed3({ ...base, feature: 'no_such_feature' })).passed).toBe(false);
    expect((await interpretSeed3({ ...base, feature: 'retry', expect: { mood: 'fine' } })).passed).toBe(false);
    expect((await interpretSeed3({ ...base, feature: 'retry', given: { provider: 'sulks' } })).passed).toBe(false);
    expect((await interpretSeed3({ ...base, feature: 'retry', given: { moon: 'full' } })).passed).toBe(false);
  });
});
