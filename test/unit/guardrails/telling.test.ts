/**
 * Checks the events of calls about budgets and slots, also of calls that others run.
 *
 * Neither a slow authorizer nor a wrong value opens a way.
 */
import { expect, test } from 'vitest';
import { rateLimitedError } from '../../../shared/guardrails/limits/limit-errors.ts';
import { contractError, executionError, type GuardrailError } from '../../../shared/guardrails/settings/errors.ts';
import { resolveGuardrails } from '../../../shared/guardrails/settings/resolve.ts';
import { policyOf, world } from './harness.ts';

const environment = { costPerCall: 1, budget: { costPerDay: 4, timeMsPerMinute: 60_000 }, maxConcurrent: 3 };

test('the end of a call tells how full its budgets are, and how many calls of its tool run', async () => {
  const w = world({ environment });
  await w.invoke();
  await w.invoke();
  expect(w.named('ToolSucceeded').at(-1)?.detail).toMatchObject({
    inUse: 1,
    budgets: [
      { id: 'environment:test:time', used: 30_000, limit: 60_000 },
      { id: 'environment:test:cost', used: 2e6, limit: 4e6 },
    ],
  });
});

test('a call that somebody else runs is told like one of its own (A19)', async () => {
  const w = world({ environment });
  const call = { toolName: 't', origin: 'local', agentId: 'a1', correlationId: 'redemption-1' };
  const resolved = resolveGuardrails(policyOf({ environment }), { ...call, now: w.runtime.now() });
  const events = w.guardrails.eventsOf(call);
  const place = { tool: call, agentId: 'a1', resolved, timeMs: 1000, reservationId: 'r1' };
  expect(await w.guardrails.admission.enter(place, undefined, events)).toMatchObject({ admitted: true });
  events.applied(resolved);
  expect(w.events.map(({ name }) => name)).toEqual(['ToolInvoked', 'PolicyApplied']);
  expect(w.named('PolicyApplied')[0]).toMatchObject({
    correlationId: 'redemption-1',
    detail: {
      concurrencyCaps: { inUse: 1 },
      rateLimit: { limiterState: { available: 9 } },
      budgetLevels: [{ id: 'environment:test:time' }, { id: 'environment:test:cost', used: 1e6 }],
    },
  });
  w.guardrails.eventsOf(call).ended(12);
  expect(w.named('ToolSucceeded')[0]?.detail).toEqual({ durationMs: 12, attempts: 1 });
});

test('R3-092 a redemption tells the state in which it met the circuit, whatever this process saw before', async () => {
  const w = world({ environment: { failureThreshold: 1, resetAfterMs: 1000 } });
  // The one of another process, which hears of failures.
  const other = world({ runtime: w.runtime, state: w.state, environment: { failureThreshold: 1, resetAfterMs: 1000 } });
  const call = { toolName: 't', origin: 'local', agentId: 'a1', correlationId: 'c' };
  const resolved = resolveGuardrails(policyOf({ environment: { failureThreshold: 1, resetAfterMs: 1000 } }), {
    ...call,
    now: 0,
  });
  const met = async (result?: GuardrailError) => {
    const events = w.guardrails.eventsOf(call);
    const place = { tool: call, agentId: 'a1', resolved, timeMs: 1000, reservationId: w.runtime.newId() };
    const entered = await w.runtime.run(w.guardrails.admission.enter(place, undefined, events));
    events.applied(resolved);
    if ('ticket' in entered)
      await w.runtime.run(other.guardrails.admission.complete(resolved, entered.ticket, { timeMs: 1, error: result }));
    return [w.named('PolicyApplied').at(-1)?.detail['circuitState'], w.guardrails.gauges(call).circuitState];
  };
  expect(await met(executionError('down'))).toEqual(['closed', 0]);
  expect(await met()).toEqual(['open', 2]);
  await w.runtime.advance(1000);
  expect(await met()).toEqual(['half-open', 1]);
  expect(await met()).toEqual(['closed', 0]);
});

test('R3-057 a refused redemption is told, its limiter too', async () => {
  const w = world();
  const events = w.guardrails.eventsOf({ toolName: 't', origin: 'local', agentId: 'a1', correlationId: 'c' });
  events.refused(rateLimitedError({ scope: 'tool', throttlingScope: 'local::t', retryAfterMs: 7 }), 3);
  expect(w.named('RateLimited')[0]?.detail).toMatchObject({ limiterId: 'local::t', retryAfterMs: 7 });
  expect(w.named('ToolFailed')[0]?.detail).toMatchObject({ error: { code: 'RateLimited' }, durationMs: 3 });
});

test('R3-013 an authorizer that never answers has not said yes, and holds nobody for ever', async () => {
  const w = world({ deps: { authorize: () => new Promise(() => {}) } });
  const result = await w.invoke();
  expect(result).toMatchObject({ status: 'Error', durationMs: 30_000, error: { category: 'AuthError' } });
  expect(w.calls).toHaveLength(0);
});

test('G29, G30 with the store down a read may pass; with a value that is none it may not', async () => {
  for (const [thrown, status] of [
    [new Error('down'), 'Ok'],
    [new RangeError('budget amounts must be whole numbers'), 'Error'],
    [contractError('InvalidCost', 'no cost'), 'Error'],
  ] as const) {
    const w = world({ environment, tool: { effect: 'Pure' } });
    w.state.budgets.reserve = () => Promise.reject(thrown);
    expect((await w.invoke()).status).toBe(status);
  }
});

test('R3-100 a secret that is a number is taken out of texts too', async () => {
  const w = world({
    behaviour: async () => {
      throw contractError('Refused', 'the password 4711471147 is wrong');
    },
  });
  const result = await w.invoke({ input: { password: 4711471147 } });
  expect(JSON.stringify([result, w.events])).not.toContain('4711471147');
});
