/** Runs every case of the task agent (seed 2), one test each. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import type { SeedCase } from './seeds/judge.ts';
import { interpretTaskAgent } from './seeds/task-agent.ts';

const cases = withOwn<SeedCase & { readonly why: string }>('seeds.jsonl').filter(({ seed }) => seed === 2);

describe('the task agent', () => {
  test.each(cases.map((one) => [`${one.id}: ${one.why}`, one] as const))('%s', async (_name, one) => {
    const { passed, got } = await interpretTaskAgent(one);
    expect(passed, JSON.stringify({ expected: one.expect, got }, null, 2)).toBe(true);
  });

  test('what cannot be interpreted has failed', async () => {
    const base = { id: 'x', seed: 2, given: { message: 'hello' }, expect: { decision_type: 'RESPOND_ONLY' } };
    expect((await interpretTaskAgent({ ...base, feature: 'decision' })).passed).toBe(true);
    expect((await interpretTaskAgent({ ...base, feature: 'no_such_feature' })).passed).toBe(false);
    const mood = { ...base, feature: 'decision', expect: { mood: null } };
    expect((await interpretTaskAgent(mood)).passed).toBe(false);
    const fault = { ...base, feature: 'degradation', given: { tool: 'sulks', message: 'show tasks' }, expect: {} };
    expect((await interpretTaskAgent(fault)).passed).toBe(false);
  });
});
