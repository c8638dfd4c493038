/** Checks a guarded call from end to end: order, envelope, effects, events. */
import { describe, expect, test } from 'vitest';
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import { providerThrottledError, timeoutError } from '../../../shared/guardrails/limits/limit-errors.ts';
import {
  contractError,
  executionError,
  GuardrailError,
  systemError,
} from '../../../shared/guardrails/settings/errors.ts';
import { world } from './harness.ts';

const idempotent = { effect: 'IdempotentWrite', maxRetries: 2 };
const transient = () => executionError('try again', { transient: true });

describe('a guarded call', () => {
  test('answers with the whole envelope (R3-007)', async () => {
    const w = world({ binding: { version: '1.2.0' }, behaviour: async () => ({ answer: 42 }) });
    const result = await w.invoke({ correlationId: 'c-1' });
    expect(result).toMatchObject({
      status: 'Ok',
      output: { answer: 42 },
      durationMs: 0,
      attempts: 1,
      resolvedVersion: '1.2.0',
      correlationId: 'c-1',
      origin: 'local',
      effect: 'succeeded',
      policySnapshot: { timeoutMs: 30_000, maxRetries: 0, circuitState: 'closed' },
    });
  });

  test('makes a correlation id where there is none, and uses it everywhere (R3-101)', async () => {
    const w = world();
    const result = await w.invoke({ correlationId: '  ' });
    expect(result.correlationId).not.toBe('');
    expect(new Set(w.events.map((event) => event.correlationId))).toEqual(new Set([result.correlationId]));
  });

  test('consumes nothing when it is invalid or forbidden (R3-002)', async () => {
    const w = world({
      binding: { validateInput: (input) => (input === 'bad' ? 'no object' : undefined) },
      deps: { authorize: async ({ agentId }) => (agentId === 'mallory' ? 'not you' : undefined) },
      environment: { burst: 1, ratePerSecond: 1 },
    });
    expect((await w.invoke({ input: 'bad', agentId: 'mallory' })).error).toMatchObject({
      category: 'ContractError',
      code: 'ValidationFailed',
    });
    expect((await w.invoke({ agentId: 'mallory' })).error?.category).toBe('AuthError');
    expect((await w.invoke({ toolName: 'nope' })).error?.code).toBe('ToolNotFound');
    expect((await w.invoke()).status).toBe('Ok');
  });

  test('asks budget, circuit, rate and slots in this order, and the first that fails decides (R3-106)', async () => {
    const parts = ['budgets', 'circuits', 'rate', 'slots'] as const;
    const failing = (name: string) => {
      const fails = () => Promise.reject(new GuardrailError('SystemError', name, name));
      // A process looks into its own memory without a fault.
      return new Proxy({}, { get: (_, method) => (method === 'peek' || method === 'inUse' ? () => 0 : fails) });
    };
    for (const [place, first] of parts.entries()) {
      const broken = Object.fromEntries(parts.slice(place).map((name) => [name, failing(name)]));
      const state = { ...memoryGuardrailState(() => 0), ...broken };
      const w = world({ state, environment: { budget: { costPerDay: 9 }, costPerCall: 1 } });
      expect((await w.invoke()).error?.code).toBe(first);
      expect(w.calls).toEqual([]);
    }
  });

  test('denies an MCP tool that the policy does not name (R3-090)', async () => {
    const w = world({ binding: { origin: 'mcp::github' } });
    expect((await w.invoke()).error).toMatchObject({ category: 'AuthError', code: 'ToolNotListed' });
    expect(w.calls).toHaveLength(0);
    const listed = world({ binding: { origin: 'mcp::github' }, tool: { origin: 'mcp::github' } });
    expect((await listed.invoke()).status).toBe('Ok');
  });

  test('does not lend the settings of a listed tool to another origin', async () => {
    const w = world({ binding: { origin: 'mcp::evil' }, tool: { origin: 'local' } });
    expect((await w.invoke()).error?.code).toBe('ToolNotListed');
  });

  test('shows neither the text nor the stack of what a tool throws', async () => {
    const w = world({
      behaviour: async () => {
        throw new Error('postgres://user:hunter2@db');
      },
    });
    const result = await w.invoke();
    expect(result.error).toMatchObject({ category: 'ExecutionError', code: 'ToolFailed', isRetryable: false });
    expect(JSON.stringify([result, w.events])).not.toContain('hunter2');
    expect(result.effect).toBe('unknown');
  });

  test('G32 a call that reached the tool has begun, whatever the tool says about it', async () => {
    const failures = [
      [providerThrottledError('local', 10), 'failed'],
      [contractError('Bad', 'bad'), 'failed'],
      [executionError('broken'), 'failed'],
      [executionError('reset', { transient: true }), 'unknown'],
      [systemError('Broken', 'connection reset'), 'unknown'],
      [timeoutError(1, 1, 'not-started'), 'unknown'],
    ] as const;
    for (const [error, effect] of failures)
      expect((await world({ behaviour: () => Promise.reject(error) }).invoke()).effect).toBe(effect);
    const broken = world();
    broken.guardrails.admission.complete = () => Promise.reject(new Error('a bug of ours'));
    expect(await broken.invoke()).toMatchObject({ error: { code: 'Internal', isRetryable: false }, effect: 'unknown' });
    const early = world({ deps: { authorize: () => Promise.reject(new Error('directory down')) } });
    expect(await early.invoke()).toMatchObject({ error: { category: 'SystemError' }, effect: 'not-started' });
    expect(early.calls).toHaveLength(0);
  });

  test('refuses an output that breaks its schema, without saying that nothing happened', async () => {
    const w = world({ binding: { validateOutput: () => 'no text' } });
    expect(await w.invoke()).toMatchObject({ status: 'Error', error: { code: 'InvalidOutput' }, effect: 'unknown' });
  });

  test('answers with the fallback when a budget is used up, and says so (R3-071)', async () => {
    const w = world({ environment: { costPerCall: 1, budget: { costPerDay: 1 } } });
    await w.invoke();
    const result = await w.invoke({ fallback: async () => 'cached' });
    expect(result).toMatchObject({ status: 'Ok', output: 'cached', degraded: true, effect: 'not-started' });
    const failed = await w.invoke({ fallback: async () => Promise.reject(new Error('no')) });
    expect(failed.error?.code).toBe('BudgetExceeded');
    const hangs = await w.invoke({ fallback: () => new Promise(() => undefined) });
    expect(hangs).toMatchObject({ durationMs: 0, error: { code: 'BudgetExceeded' } });
  });

  test('ends in Timeout without calling the tool when the deadline has passed (R3-017)', async () => {
    const w = world();
    const result = await w.invoke({ limits: { deadlineAt: w.runtime.now() - 1 } });
    expect(result).toMatchObject({
      error: { code: 'Timeout', isRetryable: false, details: { elapsedMs: 0, deadlineMs: 0 } },
      effect: 'not-started',
    });
    expect(w.calls).toHaveLength(0);
    expect(w.named('PolicyApplied')).toHaveLength(1);
  });

  test('refuses limits that are no limits (R3-086)', async () => {
    const w = world();
    for (const timeoutMs of [Number.NaN, Number.POSITIVE_INFINITY, 0, -5])
      expect((await w.invoke({ limits: { timeoutMs } })).error?.category).toBe('ContractError');
    expect((await w.invoke({ limits: { timeoutMs: '5' as unknown as number } })).error?.category).toBe('ContractError');
    expect(w.calls).toHaveLength(0);
  });
});

describe('time', () => {
  test('ends an attempt that hangs, tells the tool, and discards what comes later (R3-019, R3-021)', async () => {
    let aborted = false;
    const w = world({
      environment: { timeoutMs: 100 },
      behaviour: async ({ signal }, runtime) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        await runtime.sleep(500);
        return 'late';
      },
    });
    const result = await w.invoke();
    expect(result).toMatchObject({
      status: 'Error',
      error: { category: 'PolicyError', code: 'Timeout', details: { elapsedMs: 100, deadlineMs: 100 } },
      effect: 'unknown',
    });
    expect(aborted).toBe(true);
    await w.runtime.advance(1000);
    expect(w.named('ToolSucceeded')).toHaveLength(0);
  });

  test('counts an answer as late that a blocked process saw too late', async () => {
    const w = world({
      environment: { timeoutMs: 100 },
      behaviour: async (_attempt, runtime) => {
        runtime.jump(101);
        return 'late';
      },
    });
    expect((await w.invoke()).error?.code).toBe('Timeout');
  });

  test('R3-013 gives its result also when the store hangs after the tool has answered', async () => {
    for (const part of ['slots', 'budgets'] as const) {
      const w = world({ environment: { costPerCall: 1, budget: { costPerDay: 9 } } });
      const hangs = () => new Promise<never>(() => undefined);
      if (part === 'slots') w.state.slots.release = hangs;
      else w.state.budgets.closeReservation = hangs;
      const began = w.runtime.now();
      expect(await w.invoke()).toMatchObject({ status: 'Ok', output: 'done', effect: 'succeeded' });
      expect(w.runtime.now() - began).toBe(5000);
    }
  });

  test('goes on in time also when the store hangs, and takes nothing that comes late', async () => {
    const w = world({ environment: { timeoutMs: 100, maxConcurrent: 1 } });
    const { acquire } = w.state.slots;
    w.state.slots.acquire = async (request) => {
      await w.runtime.sleep(1000);
      return acquire.call(w.state.slots, request);
    };
    expect((await w.invoke()).error?.code).toBe('Timeout');
    w.state.slots.acquire = acquire.bind(w.state.slots);
    await w.runtime.advance(2000);
    expect((await w.invoke()).status).toBe('Ok');
  });
});

test('what a process got although it was too late to use it goes back', async () => {
  const w = world({ environment: { timeoutMs: 100, maxConcurrent: 1, maxQueue: 0, ratePerSecond: 0.001, burst: 1 } });
  const { acquire } = w.state.slots;
  w.state.slots.acquire = async (request) => {
    // The process stood still while it was being admitted.
    w.runtime.jump(101);
    return acquire.call(w.state.slots, request);
  };
  expect(await w.invoke()).toMatchObject({ error: { code: 'Timeout' }, effect: 'not-started' });
  w.state.slots.acquire = acquire.bind(w.state.slots);
  expect((await w.invoke()).status).toBe('Ok');
});

describe('events', () => {
  test('PolicyApplied comes once, before the tool, with what holds and who said so (R3-091, R3-092)', async () => {
    const w = world({ tool: { ...idempotent, timeoutMs: 50 }, behaviour: () => Promise.reject(transient()) });
    await w.invoke({ idempotencyKey: 'k' });
    const [applied, ...more] = w.named('PolicyApplied');
    expect(more).toEqual([]);
    expect(applied?.detail).toMatchObject({
      timeoutMs: 50,
      retryPolicy: { maxRetries: 2 },
      rateLimit: { ratePerSecond: 10, burst: 10, limiterState: { available: 10, capacity: 10 } },
      circuitState: 'closed',
      concurrencyCaps: { maxConcurrent: 1, inUse: 0 },
      layers: { timeoutMs: 'tool:t', ratePerSecond: 'built-in' },
    });
    expect(w.events.map((event) => event.name)).toEqual(['ToolInvoked', 'PolicyApplied', 'ToolFailed']);
    expect(w.events.every((event) => event.eventVersion === 1)).toBe(true);
  });

  test('PolicyApplied also comes before a refusal (R3-093)', async () => {
    const w = world({ environment: { ratePerSecond: 1, burst: 1 } });
    await w.invoke();
    await w.invoke();
    expect(w.events.map((event) => event.name).slice(3)).toEqual([
      'ToolInvoked',
      'PolicyApplied',
      'RateLimited',
      'ToolFailed',
    ]);
    expect(w.named('RateLimited')[0]?.detail).toEqual({
      limiterId: 'local::t',
      scope: 'tool',
      tokensRequested: 1,
      retryAfterMs: 1000,
    });
  });

  test('hold no secret, not even one that the tool repeats (R3-100)', async () => {
    const w = world({ behaviour: () => Promise.reject(executionError('refused: s3cret-value for key sk-12345')) });
    const headers = { Authorization: 'Bearer s3cret-value', accept: 'json' };
    const result = await w.invoke({ headers, input: { nested: [{ 'api-key': 'sk-12345' }] } });
    expect(JSON.stringify([result, w.events])).not.toMatch(/s3cret|sk-12345/);
    expect(w.named('ToolInvoked')[0]?.detail).toMatchObject({
      headers: ['Authorization', 'accept'],
      redactions: ['headers.Authorization', 'input.nested[0].api-key'],
    });
    expect(w.calls[0]?.headers).toEqual(headers);
  });

  test.each(['accessKey', 'pwd', 'passphrase', 'jwt', 'signingKey', 'masterKey', 'note'])(
    'whether its field is called %s',
    async (name) => {
      const value = name === 'note' ? 'ghp_0123456789abcdefghij' : 'tr0ub4dor';
      const w = world({ behaviour: () => Promise.reject(executionError(`refused ${value}`)) });
      const result = await w.invoke({ input: { [name]: value } });
      expect(JSON.stringify([result, w.events])).not.toContain(value);
      expect(w.named('ToolInvoked')[0]?.detail).toMatchObject({ redactions: [`input.${name}`] });
    },
  );

  test.each([
    [
      'at once',
      () => {
        throw new Error('bus down');
      },
    ],
    ['later', () => Promise.reject(new Error('bus down'))],
  ])('a sink that fails %s changes nothing', async (_, emit) => {
    const w = world({ deps: { events: { emit } } });
    expect((await w.invoke()).status).toBe('Ok');
    // An unhandled rejection would fail this file.
    await new Promise((resolve) => setTimeout(resolve, 1));
  });
});

describe('the store is down (G30)', () => {
  const down = () => Promise.reject(new Error('connection refused'));

  test('what mutates is refused, what only reads may pass', async () => {
    for (const broken of ['rate', 'slots', 'circuits'] as const) {
      const write = world();
      const method = { rate: 'take', slots: 'acquire', circuits: 'load' }[broken];
      Object.assign(write.state[broken], { [method]: down });
      expect((await write.invoke()).error).toMatchObject({ category: 'SystemError', code: 'StateUnavailable' });
      expect(write.calls).toHaveLength(0);

      const read = world({ tool: { effect: 'Pure' } });
      Object.assign(read.state[broken], { [method]: down });
      expect((await read.invoke()).status).toBe('Ok');
    }
  });

  test('what was taken before goes back', async () => {
    const w = world({ environment: { ratePerSecond: 1, burst: 1, costPerCall: 1, budget: { costPerDay: 1 } } });
    const { acquire } = w.state.slots;
    w.state.slots.acquire = down;
    expect((await w.invoke()).error?.code).toBe('StateUnavailable');
    w.state.slots.acquire = acquire.bind(w.state.slots);
    expect((await w.invoke()).status).toBe('Ok');
  });
});

test('figures are kept per tool and origin (R3-094, R3-097)', async () => {
  let n = 0;
  const w = world({
    tool: idempotent,
    environment: { ratePerSecond: 1000 },
    behaviour: async (_attempt, runtime) => {
      await runtime.sleep(++n);
      if (n === 2) throw transient();
      return n;
    },
  });
  for (let i = 0; i < 3; i++) await w.invoke({ idempotencyKey: 'k' });
  await w.invoke({ toolName: 'missing' });
  expect(w.guardrails.metrics.snapshot()).toMatchObject([
    { tool: 't', origin: 'local', invocations: 3, errors: 0, retries: 1, p50: 4 },
    { tool: 'missing', origin: 'unknown', invocations: 1, errors: 1, errorRate: 1, errorsByCode: { ToolNotFound: 1 } },
  ]);
});
