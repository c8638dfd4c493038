/** Runs every case of the policies (seed 0), one test each. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import type { SeedCase } from './seeds/judge.ts';
import { interpretPolicies } from './seeds/policies.ts';

const cases = withOwn<SeedCase & { readonly why: string }>('seeds.jsonl').filter(({ seed }) => seed === 0);

describe('the policies', () => {
  test.each(cases.map((one) => [`${one.id}: ${one.why}`, one] as const))('%s', async (_name, one) => {
    const { passed, got } = await interpretPolicies(one);
    expect(passed, JSON.stringify({ expected: one.expect, got }, null, 2)).toBe(true);
  });

  test('what cannot be interpreted has failed', async () => {
    const given = { actions: ['a'], delegate: 'astrologer', channel_result: 'Approved' };
    const base = { id: 'x', seed: 0, expect: { chosen: 'a' } };
    expect((await interpretPolicies({ ...base, feature: 'hitl', given })).passed).toBe(false);
    expect((await interpretPolicies({ ...base, feature: 'no_such_feature', given })).passed).toBe(false);
    const unknown = { ...base, feature: 'first_available', given, expect: { chosen: 'a', mood: null } };
    expect((await interpretPolicies(unknown)).passed).toBe(false);
  });
});
