/** Checks that a call goes the same way whether its state answers at once or later. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import { providerThrottledError } from '../../../shared/guardrails/limits/limit-errors.ts';
import { executionError } from '../../../shared/guardrails/settings/errors.ts';
import type { GuardrailState } from '../../../shared/ports/stores/guardrail-state.ts';
import { runs } from '../permissions/properties/arbitraries.ts';
import { FakeRuntime } from './fake-runtime.ts';
import { type ToolBehaviour, type World, world } from './harness.ts';

/** The same state, each of whose answers is a promise that takes a few turns of the microtask queue. */
function later(state: GuardrailState): GuardrailState {
  const slowed = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...given: unknown[]) => unknown;
        if (name === 'peek') return method.bind(target);
        return async (...given: unknown[]) => {
          for (let turn = 0; turn < 3; turn++) await undefined;
          return Reflect.apply(method, target, given);
        };
      },
    });
  const { rate, slots, budgets, circuits } = state;
  return { rate: slowed(rate), slots: slowed(slots), budgets: slowed(budgets), circuits: slowed(circuits) };
}

const ends = ['ok', 'ok', 'throws', 'transient', 'throttled', 'hangs'] as const;
const scenarios = fc.record({
  effect: fc.constantFrom('Pure', 'IdempotentWrite', 'NonIdempotentWrite'),
  environment: fc.record({
    timeoutMs: fc.constantFrom(100, 1000),
    ratePerSecond: fc.constantFrom(1, 1000),
    burst: fc.constantFrom(1, 3, 100),
    maxConcurrent: fc.constantFrom(1, 2, 10),
    maxQueue: fc.constantFrom(0, 1, 32),
    failureThreshold: fc.constantFrom(1, 5),
    resetAfterMs: fc.constantFrom(50, 1000),
    costPerCall: fc.constantFrom(0, 1),
    budget: fc.constantFrom({}, { costPerDay: 4 }, { costPerDay: 4, timeMsPerMinute: 120 }),
  }),
  behaviours: fc.array(fc.record({ end: fc.constantFrom(...ends), ms: fc.constantFrom(0, 5.5, 40.25, 100, 250.5) }), {
    minLength: 1,
    maxLength: 4,
  }),
  // Calls that do not begin at the same millisecond: which of several is first would be chance.
  calls: fc.array(
    fc.record({
      waitMs: fc.constantFrom(1, 7, 53, 1009),
      agentId: fc.constantFrom('a1', 'a2'),
      isKeyed: fc.boolean(),
      cancelMs: fc.constantFrom(undefined, undefined, 0, 1, 20),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer One> ? One : never;

async function play(scenario: Scenario, stateOf: (state: GuardrailState) => GuardrailState) {
  const runtime = new FakeRuntime();
  const behaviour: ToolBehaviour = async (attempt) => {
    const { end, ms } = scenario.behaviours[attempt.number % scenario.behaviours.length] ?? { end: 'ok', ms: 0 };
    if (ms > 0) await runtime.sleep(ms);
    if (end === 'hangs') return new Promise(() => {});
    if (end === 'throws') throw new Error('it fails');
    if (end === 'transient') throw executionError('try again', { transient: true });
    if (end === 'throttled') throw providerThrottledError('p', 50);
    return 'done';
  };
  const tool = { effect: scenario.effect, ...(scenario.effect === 'IdempotentWrite' ? { maxRetries: 2 } : {}) };
  const state = stateOf(memoryGuardrailState(runtime.now));
  const w = world({ runtime, state, environment: scenario.environment, tool, behaviour });
  const results = [];
  for (const [index, { waitMs, agentId, isKeyed, cancelMs }] of scenario.calls.entries()) {
    await runtime.advance(waitMs);
    const caller = new AbortController();
    const idempotencyKey = isKeyed ? `k${index}` : undefined;
    const call = { toolName: 't', input: {}, agentId, idempotencyKey, correlationId: `c${index}` };
    results.push(w.guardrails.invoke({ ...call, signal: caller.signal }));
    if (cancelMs === 0) caller.abort();
    else if (cancelMs) void runtime.sleep(cancelMs).then(() => caller.abort());
  }
  const ended = await runtime.run(Promise.all(results));
  await runtime.advance(10_000);
  const byCall = Map.groupBy(w.events, ({ correlationId }) => correlationId);
  const left = w.guardrails.gauges({ toolName: 't', origin: 'local', agentId: 'a1' });
  return { ended, events: Object.fromEntries(byCall), left, waiting: w.guardrails.admission.slots.waiting };
}

test('results, events and what is left are the same', () =>
  fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      expect(await play(scenario, later)).toEqual(await play(scenario, (state) => state));
    }),
    { numRuns: runs(150) },
  ));

test.each([
  ['at once', (state: GuardrailState) => state, 1],
  // To look at the circuit, for the attempt, and to give back.
  ['later', later, 3],
] as const)(
  'a state that answers %s costs a call no AbortController and few timers',
  async (_name, stateOf, timers) => {
    const runtime = new FakeRuntime();
    const sleep = vi.spyOn(runtime, 'sleep');
    const made = vi.spyOn(globalThis, 'AbortController');
    const budget = { costPerDay: 5, timeMsPerMinute: 1_000 };
    const w = world({ runtime, state: stateOf(memoryGuardrailState(runtime.now)), environment: { budget } });
    expect(await w.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1' })).toMatchObject({ status: 'Ok' });
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
    // The budget of a second is shorter than the time-out, and has a timer of its own.
    expect(sleep).toHaveBeenCalledTimes(timers + 1);
  },
);

const together = (w: World, agents: readonly string[]) =>
  w.runtime.run(Promise.all(agents.map((agentId) => w.guardrails.invoke({ toolName: 't', input: agentId, agentId }))));

test('slots go by turns of the agents, also among calls that come at the same time', async () => {
  const behaviour: ToolBehaviour = (_attempt, runtime) => runtime.sleep(10);
  const w = world({ environment: { maxConcurrent: 2, burst: 10 }, behaviour });
  await together(w, ['a1', 'a1', 'a1', 'a2']);
  expect(w.calls.map(({ input }) => input)).toEqual(['a1', 'a2', 'a1', 'a1']);
});

test('calls that come at the same time are announced before one of them takes anything', async () => {
  const w = world({ environment: { burst: 3, maxConcurrent: 3 } });
  await together(w, ['a1', 'a2', 'a3']);
  const seen = w.named('PolicyApplied').map(({ detail }) => detail['rateLimit']);
  expect(seen).toMatchObject(Array(3).fill({ limiterState: { available: 3, capacity: 3 } }));
});

test('a caller that gives up at once finds its call not begun, and nothing used up', async () => {
  const w = world({ environment: { burst: 1, budget: { costPerDay: 1 }, costPerCall: 1 } });
  const caller = new AbortController();
  const result = w.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1', signal: caller.signal });
  caller.abort();
  expect(await w.runtime.run(result)).toMatchObject({ status: 'Error', error: { code: 'Cancelled' } });
  expect(w.calls).toEqual([]);
  expect(await w.invoke()).toMatchObject({ status: 'Ok' });
});
