/** Checks that a case fails by one wrong value, at any place of what it expects. */
import { expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import { interpretCase } from './interpret.ts';
import type { SeedCase } from './seeds/judge.ts';

/** Operators under which a wrong value may hold all the same. */
const LOOSE = /(_not|_excludes?|never|_in)(\.|$)|^(.*\.)?not_/;

type Path = readonly string[];
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Every value within another that is no object, by its path. */
function leavesOf(value: unknown, path: Path = []): [Path, unknown][] {
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));
  return LOOSE.test(path.join('.')) ? [] : [[path, value]];
}

const HIGH = 1e12;
const LOW = -987_654;

function wrong(value: unknown, path: Path): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'number') return 'moon';
  return /(_min|_range_ms\.0)$/.test(path.join('.')) ? HIGH : LOW;
}

test('a case with one wrong value fails, for each shape of value', async () => {
  const met = new Set<string>();
  const passed: string[] = [];
  for (const one of withOwn<SeedCase>('seeds.jsonl').filter(({ seed }) => seed !== undefined))
    for (const [path, value] of leavesOf(one.expect)) {
      const shape = `${one.seed} ${one.feature} ${path.join('.').replaceAll(/\.\d+(?=\.|$)/g, '[]')} ${typeof value}`;
      if (met.has(shape)) continue;
      met.add(shape);
      const copy = structuredClone(one);
      const within = path.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(at as object, key), copy.expect);
      Reflect.set(within as object, path.at(-1) as string, wrong(value, path));
      if ((await interpretCase(copy)).passed) passed.push(`${shape} (${one.id})`);
    }
  expect(met.size).toBeGreaterThan(100);
  expect(passed).toEqual([]);
});

test.each<[seed: number, feature: string, given: object, right: object, wrong: object]>([
  [
    3,
    'ratelimit',
    { provider_response: '429' },
    { error: { code_not: null, output: null } },
    { error: { retry_after_ms_not: null } },
  ],
  [
    0,
    'composite',
    { actions: ['a'], proposer: 'first_available', predicate: 'AlwaysApprove', approver: 'record' },
    { approver_space: { actions_not: null, moon: null } },
    { approver_space: { actions_contains: null } },
  ],
  [
    0,
    'hitl',
    { actions: ['a'], delegate: "raises 'down'", channel_result: 'Approved' },
    { error: { message_contains: 'down' } },
    { error: { message_contains: 'moon' } },
  ],
  [
    1,
    'approval',
    { subagent: 'calls bash', parent_handler: { deny_all: 'no' } },
    { subagent_tool_result: { contains: ['denied', 'no'] } },
    { subagent_tool_result: { contains: ['denied', 'moon'] } },
  ],
  [0, 'first_available', { actions: ['a', 'b'] }, { all_in: 'a' }, { all_in: 'b' }],
  [1, 'tool_class', { tool: 'edit' }, { class: 'Mutating' }, { tools_never: ['x'] }],
  [
    3,
    'backoff',
    { attempt: 1, base_ms: 100, jitter: 0, samples: 3 },
    { delay_range_ms: [100, 100] },
    { delay_range_ms: [100, 100, 1] },
  ],
])('seed %i, %s: %j', async (seed, feature, given, right, wrong) => {
  const one = { id: 'x', seed, feature, given };
  expect(await interpretCase({ ...one, expect: right })).toMatchObject({ passed: true });
  expect(await interpretCase({ ...one, expect: wrong })).toMatchObject({ passed: false });
});

test('a budget that is no number cannot be read', async () => {
  const one = { id: 'x', seed: 3, feature: 'budget', expect: { admitted: true } };
  const given = { time_budget_s_per_min: 10, used_s: 1 };
  expect(await interpretCase({ ...one, given })).toMatchObject({ passed: true });
  expect(await interpretCase({ ...one, given: { ...given, time_budget_s_per_min: 'moon' } })).toMatchObject({
    passed: false,
  });
});

test('a field of a context that is null is none', async () => {
  const context = { agent: 'a', session: 's', workspace_path: null, project_type: null };
  const one = { id: 'x', seed: 4, feature: 'classifier', given: { context }, expect: { roundtrip: true } };
  expect(await interpretCase(one)).toMatchObject({ passed: true });
});
