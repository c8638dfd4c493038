/** Checks that a case of which a key was not read fails, and names the key. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import { interpretCase } from './interpret.ts';
import { reading, whole } from './reading.ts';
import type { SeedCase } from './seeds/judge.ts';

test('keys are read one by one, at any depth', () => {
  const { fields, unread } = reading({ a: 1, b: { c: 2, d: [{ e: 3 }] }, data: { x: { y: 4 } } });
  expect(unread()).toEqual(['a', 'b', 'data']);
  const b = fields['b'] as { c: number; d: { e: number }[] };
  expect([fields['a'], b.c, b.d.length]).toEqual([1, 2, 1]);
  expect(unread()).toEqual(['b.d[0]', 'data']);
  expect(b.d[0]?.e).toBe(3);
  expect(whole(fields['data'])).toEqual({ x: { y: 4 } });
  expect(unread()).toEqual([]);
});

const seeds = withOwn<SeedCase>('seeds.jsonl');

describe.each([0, 1, 2, 3, 4])('seed %i', (seed) => {
  const all = seeds.filter((one) => one.seed === seed);
  // The last of each feature, which is one of our own shapes.
  const cases = [...new Map(all.map((one) => [one.feature, one])).values()];

  test('a case of any feature fails with one more key', async () => {
    for (const one of cases) {
      const asked = { ...one, given: { ...one.given, moon: 'full' } };
      const wanted = { ...one, expect: { ...one.expect, moon: 'full' } };
      const { passed, got } = await interpretCase(asked);
      expect([passed, JSON.stringify(got)], one.id).toEqual([false, expect.stringContaining('moon')]);
      expect(await interpretCase(wanted), one.id).toMatchObject({ passed: false });
    }
  });

  test('a case fails where the name of a key is misspelt', async () => {
    const keyed = all.flatMap((one) => Object.keys(one.given).map((key) => ({ one, key })));
    const perKey = new Map(keyed.map((each) => [`${each.one.feature} ${each.key}`, each]));
    const passed: string[] = [];
    for (const [name, { one, key }] of perKey)
      for (const misspelt of [`${key}_zz`, `zz_${key}`]) {
        const fields = Object.entries(one.given).map(([each, value]) => [each === key ? misspelt : each, value]);
        const given = Object.fromEntries(fields) as SeedCase['given'];
        if ((await interpretCase({ ...one, given })).passed) passed.push(`${name} as ${misspelt}`);
      }
    expect(passed).toEqual([]);
  });
});

test.each<[number, string, object, object]>([
  [
    0,
    'composite',
    { actions: ['a'], proposer: 'none', predicate: 'NeverApprove', approver: { hitl: 'Approved', moon: 1 } },
    { chosen: null },
  ],
  [1, 'approval', { tool: 'a', handler: { deny_all: 'no', moon: 1 } }, { is_error: true }],
  [
    0,
    'hitl',
    { actions: ['a', 'b'], channel_result: { Substitute: { flow_id: 'b', persona_id: 'x', moon: 1 } } },
    { chosen: 'b' },
  ],
  [1, 'approval', { batch: [['w', 'Mutating']], tool_concurrency: { w: 'on', moon: 1 } }, { ran: ['w'] }],
  [
    3,
    'concurrency',
    { max_concurrent: 1, submit_order: ['a1', 'b1'], agents: { A: ['a1'], B: ['b1'], moon: 1 } },
    { start_order: ['a1', 'b1'] },
  ],
  [3, 'ratelimit', { tool_limit: { burst: 1, moon: 1 }, calls: ['a'] }, { admitted: ['a'] }],
  [3, 'budget', { used: 1, degrade: { fallback: 1, moon: 1 } }, { admitted: true }],
  [4, 'pipeline', { handler: { answer: 'Allowed', moon: 1 } }, { decision: 'allow' }],
  [4, 'pipeline', { rules: [{ pattern: 'Bash', behavior: 'allow', moon: 1 }] }, { decision: 'allow' }],
  [4, 'classifier', { rule: { allow: ['Bash'], moon: 1 } }, { block: false }],
  [4, 'denial', { mode: 'Auto', tracker: { consecutive: 1, moon: 1 } }, { consecutive: 1 }],
])('seed %i, %s: a key inside of another is read too', async (seed, feature, given, expected) => {
  const one = { id: 'x', seed, feature, given, expect: expected };
  expect((await interpretCase(one)).passed).toBe(false);
  const text = JSON.stringify(given).replaceAll(/,"moon":1/g, '');
  expect(await interpretCase({ ...one, given: JSON.parse(text) as object })).toMatchObject({ passed: true });
});

test('a field of a stored grant that neither the gate nor the call knows is named', async () => {
  const binding = { tenantId: 't1', sessionId: 's1', agentId: 'a1', policyVersion: 'v1' };
  const call = { toolName: 'Bash', input: { command: 'npm test' }, ...binding };
  const stored = { ...call, decision: 'approved', scope: 'session', approvedAt: 1000, ttlSec: 300, mode: 'default' };
  const place = { cwd: '/workspace/app', projectRoot: '/workspace/app', home: '/home/agent' };
  const judged = (more: object, verdict: string) => {
    const given = { mode: 'default', rules: [], ...place, ...call, now: 1100 };
    const cache = [{ ...stored, cwd: place.cwd, ...more }];
    const one = { id: 'x', area: 'cache-key', kind: 'attack', match: 'exact', given: { ...given, cache } };
    return interpretCase({ ...one, expect: verdict });
  };
  expect(await judged({}, 'allow')).toMatchObject({ passed: true });
  const { passed, got } = await judged({ moon: 1 }, 'ask');
  expect([passed, JSON.stringify(got)]).toEqual([false, expect.stringContaining('moon')]);
});
