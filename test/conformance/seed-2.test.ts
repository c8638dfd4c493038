/** Runs every case of seed 2, one test each. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import type { SeedCase } from './seeds/judge.ts';
import { interpretSeed2 } from './seeds/seed-2.ts';

const cases = withOwn<SeedCase & { readonly why: string }>('seeds.jsonl').filter(({ seed }) => seed === 2);

describe('seed 2', () => {
  test.each(cases.map((one) => [`${one.id}: ${one.why}`, one] as const))('%s', async (_name, one) => {
    const { passed, got } = await interpretSeed2(one);
    expect(passed, JSON.stringify({ expected: one.expect, got }, null, 2)).toBe(true);
  });

  test('what cannot be interpreted has failed', async () => {
    const base = { id: 'x', seed: 2, given: { message: 'hello' }, expect: { decision_type: 'RESPOND_ONLY' } };
    expect((await interpretSeed2({ ...base, feature: 'decision' })).passed).toBe(true);
    expect((await interpretSeed2({ ...base, feature: 'no_such_feature' })).passed).toBe(false);
    const mood = { ...base, feature: 'decision', expect: { mood: null } };
    expect((await interpretSeed2(mood)).passed).toBe(false);
    const fault = { ...base, feature: 'degradation', given: { tool: 'sulks', message: 'show tasks' }, expect: {} };
    expect((await interpretSeed2(fault)).passed).toBe(false);
  });
});
