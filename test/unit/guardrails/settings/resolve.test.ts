/** Checks layers, overlays, clamping, and what is refused at load. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadGuardrails } from '../../../../shared/guardrails/settings/config.ts';
import { explainGuardrails } from '../../../../shared/guardrails/settings/explain.ts';
import { resolveGuardrails } from '../../../../shared/guardrails/settings/resolve.ts';
import { BUILT_IN, MCP_OVERLAY } from '../../../../shared/guardrails/settings/settings.ts';

const base = { environment: 'prod', environments: { prod: {}, staging: { timeoutMs: 9000 } } };
const ask = { toolName: 't', origin: 'local', agentId: 'a', now: 1000 };
const resolve = (config: object, more: object = {}) =>
  resolveGuardrails(loadGuardrails({ ...base, ...config }), { ...ask, ...more });
const refusal = (config: object): string => {
  try {
    loadGuardrails({ ...base, ...config });
    return '';
  } catch (error) {
    return String(error);
  }
};

test('prints every setting with the layer that set it (R3-108)', () => {
  const resolved = resolve({
    environments: { prod: { timeoutMs: 5000, budget: { costPerDay: 5 } } },
    providers: { local: { maxConcurrent: 7 } },
  });
  const lines = explainGuardrails(resolved);
  expect(lines).toContainEqual({ setting: 'timeoutMs', value: 5000, from: 'environment:prod' });
  expect(lines).toContainEqual({ setting: 'burst', value: 10, from: 'ratePerSecond, rounded up' });
  expect(lines).toContainEqual({ setting: 'provider.maxConcurrent', value: 7, from: 'provider:local' });
  expect(lines).toContainEqual({ setting: 'budget.cost', value: '5 per 86400 s', from: 'environment:prod' });
  expect(lines.map(({ setting }) => setting)).toEqual(expect.arrayContaining(Object.keys(BUILT_IN)));
});

describe('loading', () => {
  test('refuses numbers that are no limits, and names them (R3-086, G29)', () => {
    for (const timeoutMs of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, '5'])
      expect(refusal({ environments: { prod: { timeoutMs } } })).toContain('environments.prod.timeoutMs');
    for (const ratePerSecond of [Number.NaN, 0, -1, 1e-300, 2e6])
      expect(refusal({ tools: { t: { ratePerSecond } } })).toContain('tools.t.ratePerSecond');
    for (const budget of [{ costPerDay: Number.NaN }, { timeMsPerMinute: -1 }, { costPerDay: 0 }])
      expect(refusal({ agents: { a: { budget } } })).toContain('agents.a.budget');
    expect(refusal({ tools: { t: { costPerCall: Number.NaN } } })).toContain('tools.t.costPerCall');
  });

  test('refuses names that nobody declared, and keys that nobody knows (R3-088)', () => {
    expect(refusal({ environment: 'dev' })).toContain('environment');
    expect(refusal({ agents: { a: { roles: ['ghost'] } } })).toContain('ghost');
    expect(refusal({ environments: { prod: { timeout: 5 } } })).toContain('timeout');
    expect(refusal({ origins: { 'mcp:github': {} } })).not.toBe('');
    expect(refusal({ environment: 'constructor' })).toContain('environment');
  });

  test('refuses retries of a tool that does not declare itself idempotent (R3-109)', () => {
    for (const effect of [undefined, 'Pure', 'NonIdempotentWrite', 'ExternalSideEffects'])
      expect(refusal({ tools: { t: { maxRetries: 1, effect } } })).toContain('IdempotentWrite');
    expect(refusal({ tools: { t: { maxRetries: 1, effect: 'IdempotentWrite', idempotency: 'PUT by id' } } })).toBe('');
  });
});

describe('resolution', () => {
  test('starts from safe defaults', () => {
    expect(resolve({}).settings).toEqual({ ...BUILT_IN, burst: 10 });
    expect(resolve({}).effect).toBe('NonIdempotentWrite');
  });

  test('each field comes from the most specific layer that sets it, and says which', () => {
    const config = {
      environments: { prod: { timeoutMs: 1, maxQueue: 1, burst: 1, maxConcurrent: 9 } },
      roles: { r: { timeoutMs: 2, burst: 2, maxQueue: 2 } },
      agents: { a: { roles: ['r'], timeoutMs: 3, burst: 3 } },
      tools: { t: { timeoutMs: 40 } },
    };
    const { settings, layers } = resolve(config);
    expect(settings).toMatchObject({ timeoutMs: 40, burst: 3, maxQueue: 2, maxConcurrent: 9 });
    expect(layers).toMatchObject({
      timeoutMs: 'tool:t',
      burst: 'agent:a',
      maxQueue: 'role:r',
      maxConcurrent: 'environment:prod',
      maxRetries: 'built-in',
    });
  });

  test('MCP origins start stricter, a named server above that, and the tool last (R3-087)', () => {
    const mcp = { origin: 'mcp::github' };
    expect(resolve({}, mcp).settings).toMatchObject(MCP_OVERLAY);
    expect(resolve({ mcp: { timeoutMs: 5 } }, mcp).settings).toMatchObject({ timeoutMs: 5, ratePerSecond: 10 });
    const origins = { 'mcp::github': { timeoutMs: 6 } };
    expect(resolve({ origins }, mcp).layers.timeoutMs).toBe('origin:mcp::github');
    expect(resolve({ origins }).settings.timeoutMs).toBe(BUILT_IN.timeoutMs);
  });

  test('R3-087 the built-in overlay loosens nothing that the environment holds tighter', () => {
    const environments = { prod: { timeoutMs: 3000, ratePerSecond: 2, maxRetries: 2, maxConcurrent: 8 } };
    const { settings, layers } = resolve({ environments }, { origin: 'mcp::github' });
    expect(settings).toMatchObject({ timeoutMs: 3000, ratePerSecond: 2, maxRetries: 0, maxConcurrent: 1 });
    expect(layers).toMatchObject({ timeoutMs: 'environment:prod', maxRetries: 'origin:mcp' });
    // The file's own settings of MCP count unchanged (R3-080).
    const mcp = { timeoutMs: 20_000 };
    expect(resolve({ environments, mcp }, { origin: 'mcp::github' }).settings.timeoutMs).toBe(20_000);
  });

  test('a limit counts everybody, unless a role or an agent is whom its layer names', () => {
    expect(resolve({}).countedFor).toEqual({ rate: '', concurrency: '' });
    const agents = { a: { ratePerSecond: 1 } };
    expect(resolve({ agents }).countedFor).toEqual({ rate: 'agent:a', concurrency: '' });
    expect(resolve({ agents, tools: { t: { ratePerSecond: 2 } } }).countedFor.rate).toBe('');
  });

  test('a call may tighten and never loosen, and hears what was clamped (R3-082 … R3-085)', () => {
    const limits = { timeoutMs: 10, maxRetries: 3, maxRetryTotalMs: 1e6, ratePerSecond: 1, maxConcurrent: 5 };
    const resolved = resolve({}, { limits });
    expect(resolved.settings).toMatchObject({
      timeoutMs: 10,
      maxRetries: 0,
      maxRetryTotalMs: 30_000,
      ratePerSecond: 1,
    });
    expect(resolved.clamped).toEqual(['maxRetries', 'maxRetryTotalMs', 'maxConcurrent']);
    expect(resolved.layers.timeoutMs).toBe('invocation');
    // The shared bucket is not charged by a rate that one caller chose for itself.
    expect(resolved.shared.ratePerSecond).toBe(10);
    expect(resolved.own).toEqual({ ratePerSecond: 1, burst: 1 });
    // Reported limits are those that hold (R3-091).
    expect(resolved.settings.burst).toBe(1);
    expect(resolve({}, { limits: { ratePerSecond: 1, burst: 4 } }).own).toEqual({ ratePerSecond: 1, burst: 4 });
  });

  test('its deadline tightens, and a far one does not loosen (R3-016)', () => {
    expect(resolve({}, { limits: { deadlineAt: 1800 } }).settings.timeoutMs).toBe(800);
    expect(resolve({}, { limits: { deadlineAt: 1e9 } }).settings.timeoutMs).toBe(BUILT_IN.timeoutMs);
  });

  test('all budgets that apply are there, narrowed by the call (R3-070)', () => {
    const config = {
      environments: { prod: { budget: { costPerDay: 100 } } },
      roles: { r: { budget: { costPerDay: 50, timeMsPerMinute: 1000 } } },
      agents: { a: { roles: ['r'] } },
    };
    expect(resolve(config, { limits: { costPerDay: 60 } }).budgets).toEqual([
      { id: 'role:r', kind: 'time', limit: 1000, windowMs: 60_000 },
      { id: 'role:r', kind: 'cost', limit: 50, windowMs: 86_400_000 },
      { id: 'environment:prod', kind: 'cost', limit: 60, windowMs: 86_400_000 },
    ]);
    expect(resolve({}, { limits: { costPerDay: 60 } }).budgets).toMatchObject([{ id: 'agent:a', limit: 60 }]);
  });

  test('refuses an unknown environment, also one that every object has', () => {
    for (const environment of ['dev', 'constructor', '__proto__'])
      expect(() => resolve({}, { environment })).toThrow('environment');
  });

  test('whatever the layers and the call say, the call never gets more than the policy, and twice the same', () => {
    const positive = fc.integer({ min: 1, max: 100_000 });
    const layer = fc.record(
      {
        timeoutMs: positive,
        maxRetryTotalMs: positive,
        ratePerSecond: positive,
        burst: positive,
        maxConcurrent: positive,
        maxQueue: fc.nat(100),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(layer, layer, layer, layer, layer, (env, role, agent, tool, limits) => {
        const config = {
          environments: { prod: env },
          roles: { r: role },
          agents: { a: { roles: ['r'], ...agent } },
          tools: { t: tool },
        };
        const policy = resolve(config).settings;
        const called = resolve(config, { limits });
        // The plain reference: the last layer that speaks, then the smaller of the two.
        const expected = { ...BUILT_IN, ...env, ...role, ...agent, ...tool };
        for (const name of Object.keys(limits) as (keyof typeof limits)[]) {
          const inherited = expected[name as keyof typeof expected] ?? policy[name];
          expect(policy[name]).toBe(inherited);
          expect(called.settings[name]).toBe(Math.min(policy[name], limits[name] ?? Number.POSITIVE_INFINITY));
          expect(called.clamped.includes(name)).toBe((limits[name] ?? 0) > policy[name]);
        }
        expect(resolve(config, { limits })).toEqual(called);
      }),
    );
  });
});
