/**
 * Compares waits for a slot, retries and deadlines with plain references, on a fake clock.
 *
 * Anybody can check the references by reading.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryGuardrailState } from '../../../../shared/adapters/memory/guardrails/state.ts';
import { ConcurrencyLimiter, type SlotGrant } from '../../../../shared/guardrails/limits/concurrency.ts';
import { authError, executionError } from '../../../../shared/guardrails/settings/errors.ts';
import type { SlotLease } from '../../../../shared/ports/stores/guardrail-state.ts';
import { runs } from '../../permissions/properties/arbitraries.ts';
import { agree, command } from '../commands.ts';
import { FakeRuntime } from '../fake-runtime.ts';
import { world } from '../harness.ts';

test('R3-062 … R3-065 slots are given by turns of the agents, first come first served for each', async () => {
  const LIMIT = 2;
  const LEASE = 1e9;
  interface Caller {
    readonly id: number;
    readonly agent: string;
    readonly controller: AbortController;
    outcome: SlotGrant | undefined;
  }
  interface Model {
    callers: Caller[];
    /** Ids of the callers that hold a slot, and of those that wait, by agent in the order of their turns. */
    held: number[];
    lines: Map<string, number[]>;
  }
  interface Real {
    readonly limiter: ConcurrencyLimiter;
    readonly runtime: FakeRuntime;
    readonly leases: Map<number, readonly SlotLease[]>;
  }
  /** The next turn: the first of the first line; then that agent stands at the end. */
  const serve = (model: Model) => {
    while (model.held.length < LIMIT) {
      const [turn] = model.lines;
      if (!turn) return;
      const [agent, [first, ...rest]] = turn;
      model.lines.delete(agent);
      if (rest.length) model.lines.set(agent, rest);
      if (first !== undefined) model.held.push(first);
    }
  };
  const compare = async (model: Model, { runtime, leases, limiter }: Real) => {
    await runtime.advance(0);
    for (const { id, outcome } of model.callers) if (outcome?.granted) leases.set(id, outcome.leases);
    const granted = model.callers.filter(({ outcome }) => outcome?.granted).map(({ id }) => id);
    expect(granted.toSorted()).toEqual(model.held.toSorted());
    expect(limiter.waiting).toBe([...model.lines.values()].flat().length);
  };
  await agree<Model, Real>(
    [
      command('acquire', fc.constantFrom('a', 'b', 'c'), (agent) => async (model, real) => {
        const id = model.callers.length;
        const controller = new AbortController();
        const caller: Caller = { id, agent, controller, outcome: undefined };
        model.callers.push(caller);
        const cap = { key: 'slots#x', id: 'x', limit: LIMIT };
        const wish = { caps: [cap], agent, leaseMs: LEASE, maxQueue: 1000, signal: controller.signal };
        void real.limiter.acquire(wish).then((outcome) => {
          caller.outcome = outcome;
        });
        model.lines.set(agent, [...(model.lines.get(agent) ?? []), id]);
        serve(model);
        await compare(model, real);
      }),
      command('release', fc.nat(5), (index) => async (model, real) => {
        const id = model.held[index];
        if (id === undefined) return;
        model.held = model.held.filter((other) => other !== id);
        model.callers = model.callers.map((one) => (one.id === id ? { ...one, outcome: undefined } : one));
        serve(model);
        await real.limiter.release(real.leases.get(id) ?? []);
        await compare(model, real);
      }),
      command('giveUp', fc.nat(9), (index) => async (model, real) => {
        const id = [...model.lines.values()].flat()[index];
        const caller = model.callers.find((one) => one.id === id);
        if (id === undefined || !caller) return;
        const rest = (model.lines.get(caller.agent) ?? []).filter((other) => other !== id);
        if (rest.length) model.lines.set(caller.agent, rest);
        else model.lines.delete(caller.agent);
        caller.controller.abort();
        await compare(model, real);
        expect(caller.outcome).toEqual({ granted: false, aborted: true });
      }),
    ],
    () => {
      const runtime = new FakeRuntime();
      const limiter = new ConcurrencyLimiter(memoryGuardrailState(runtime.now).slots, runtime);
      return { model: { callers: [], held: [], lines: new Map() }, real: { limiter, runtime, leases: new Map() } };
    },
    40,
  );
});

test('R3-013 … R3-037 tries, pauses and deadlines add up as on paper', async () => {
  const outcome = fc.constantFrom('ok', 'transient', 'refused', 'hang', 'slow');
  const plan = fc.record({
    outcomes: fc.array(outcome, { minLength: 1, maxLength: 8 }),
    maxRetries: fc.nat(4),
    backoffBaseMs: fc.integer({ min: 1, max: 300 }),
    maxDelayMs: fc.integer({ min: 1, max: 600 }),
    maxRetryTotalMs: fc.integer({ min: 1, max: 3000 }),
    timeoutMs: fc.integer({ min: 20, max: 400 }),
    effect: fc.constantFrom('IdempotentWrite', 'NonIdempotentWrite', 'Pure'),
    key: fc.constantFrom('k', ' ', undefined),
  });
  const SLOW = 15;
  await fc.assert(
    fc.asyncProperty(plan, async ({ outcomes, effect, key, ...settings }) => {
      const w = world({
        environment: { ...settings, backoffMultiplier: 2, ratePerSecond: 1e5, failureThreshold: 100 },
        tool: { effect },
        behaviour: async ({ number }, runtime) => {
          switch (outcomes[(number - 1) % outcomes.length]) {
            case 'transient':
              throw executionError('again', { transient: true });
            case 'refused':
              throw authError('No', 'no');
            case 'hang':
              return new Promise(() => {});
            case 'slow':
              await runtime.sleep(SLOW);
              return 'done';
            default:
              return 'done';
          }
        },
      });
      const result = await w.invoke({ idempotencyKey: key });
      const paper = onPaper(outcomes, effect === 'IdempotentWrite' && key === 'k' ? settings.maxRetries : 0, settings);
      expect({ attempts: result.attempts, durationMs: result.durationMs, code: result.error?.code }).toEqual(paper);
      expect(w.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
        Array(paper.attempts).fill(key === 'k' ? 'k' : undefined),
      );
    }),
    { numRuns: runs(150) },
  );

  function onPaper(
    outcomes: readonly string[],
    retries: number,
    settings: { backoffBaseMs: number; maxDelayMs: number; maxRetryTotalMs: number; timeoutMs: number },
  ) {
    let time = 0;
    for (let attempts = 1; ; attempts++) {
      const how = outcomes[(attempts - 1) % outcomes.length];
      if (how === 'ok' || how === 'slow')
        return { attempts, durationMs: time + (how === 'slow' ? SLOW : 0), code: undefined };
      if (how === 'refused') return { attempts, durationMs: time, code: 'No' };
      if (how === 'hang') time += settings.timeoutMs;
      const code = how === 'hang' ? 'Timeout' : 'ToolFailed';
      // The jitter's draw is the middle here: no jitter.
      const pause = Math.min(settings.backoffBaseMs * 2 ** (attempts - 1), settings.maxDelayMs);
      if (attempts > retries || time + pause > settings.maxRetryTotalMs) return { attempts, durationMs: time, code };
      time += pause;
    }
  }
});
