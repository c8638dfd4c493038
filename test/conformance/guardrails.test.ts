/** Runs every case of the guardrails (seed 3), one test each. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import { interpretGuardrails } from './seeds/guardrails.ts';
import type { SeedCase } from './seeds/judge.ts';

const cases = withOwn<SeedCase & { readonly why: string }>('seeds.jsonl').filter(({ seed }) => seed === 3);

describe('the guardrails', () => {
  test.each(cases.map((one) => [`${one.id}: ${one.why}`, one] as const))('%s', async (_name, one) => {
    const { passed, got } = await interpretGuardrails(one);
    expect(passed, JSON.stringify({ expected: one.expect, got }, null, 2)).toBe(true);
  });

  test.each<[feature: string, given: object, expected: object]>([
    ['ratelimit', { provider_response: '429' }, { error: { code: 'RateLimited' }, retry_after_absent: true }],
    ['timeout', { timeout_ms: 100, provider: 'sleeps 500' }, { error: { code: 'Timeout' }, output: null }],
    ['observability', { call: 'times out' }, { ToolFailed: { error: { code: 'Timeout', cause: 'policy' } } }],
    [
      'observability',
      { call: 'error' },
      { events: [{ name: 'ToolFailed', has: ['error.code', 'error.cause', 'isRetryable', 'eventVersion'] }] },
    ],
  ])('other shapes of %s: %j', async (feature, given, expected) => {
    const one = { id: 'x', seed: 3, feature, given: { ...given }, expect: { ...expected } };
    expect(await interpretGuardrails(one)).toMatchObject({ passed: true });
    expect((await interpretGuardrails({ ...one, expect: { ...one.expect, mood: 'fine' } })).passed).toBe(false);
  });

  test('what cannot be interpreted has failed', async () => {
    const base = { id: 'x', seed: 3, given: { provider: 'ok' }, expect: { status: 'Ok' } };
    expect((await interpretGuardrails({ ...base, feature: 'retry' })).passed).toBe(true);
    expect((await interpretGuardrails({ ...base, feature: 'no_such_feature' })).passed).toBe(false);
    expect((await interpretGuardrails({ ...base, feature: 'retry', expect: { mood: 'fine' } })).passed).toBe(false);
    expect((await interpretGuardrails({ ...base, feature: 'retry', given: { provider: 'sulks' } })).passed).toBe(false);
    expect((await interpretGuardrails({ ...base, feature: 'retry', given: { moon: 'full' } })).passed).toBe(false);
  });
});
