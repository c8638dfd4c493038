/**
 * Compares every guardrail's state with a plain reference.
 *
 * Random sequences of calls run on a clock that is set, and anybody can check the reference by reading.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryGuardrailState } from '../../../../shared/adapters/memory/guardrails/state.ts';
import { CircuitBreaker } from '../../../../shared/guardrails/limits/circuit.ts';
import type { CircuitTicket } from '../../../../shared/guardrails/limits/circuit-breaker.ts';
import { BUILT_IN } from '../../../../shared/guardrails/settings/settings.ts';
import type { BudgetReservation, GuardrailState, SlotLease } from '../../../../shared/ports/stores/guardrail-state.ts';
import { agree, command } from '../commands.ts';

class Clock {
  now = 1_800_000_000_000;
}

test('R3-053 … R3-058 a bucket is a number of tokens that grows with time', async () => {
  const INTERVAL = 100;
  const BURST = 4;
  const bucket = { key: 'rate#x', ratePerSecond: 1000 / INTERVAL, burst: BURST };
  /** `level` in milliseconds of refilling: a token is worth one interval. */
  interface Model {
    level: number;
    taken: number;
    closedUntil: number;
    clock: Clock;
  }
  type Real = GuardrailState['rate'];
  const most = INTERVAL * BURST;
  await agree<Model, Real>(
    [
      command('take', fc.constant(0), () => async (model, rate) => {
        const closed = model.closedUntil - model.clock.now;
        const decision = await rate.take(bucket);
        if (closed > 0) return expect(decision).toEqual({ admitted: false, retryAfterMs: closed });
        if (model.level < INTERVAL)
          return expect(decision).toEqual({ admitted: false, retryAfterMs: INTERVAL - model.level });
        model.level -= INTERVAL;
        model.taken += 1;
        expect(decision).toEqual({ admitted: true, tokensLeft: Math.floor(model.level / INTERVAL) });
      }),
      command('refund', fc.constant(0), () => async (model, rate) => {
        if (model.taken === 0) return;
        model.taken -= 1;
        model.level = Math.min(most, model.level + INTERVAL);
        await rate.refund(bucket);
      }),
      command('close', fc.integer({ min: 1, max: 500 }), (ms) => async (model, rate) => {
        model.closedUntil = Math.max(model.closedUntil, model.clock.now + ms);
        await rate.close(bucket.key, ms);
      }),
      command('advance', fc.integer({ min: 1, max: 250 }), (ms) => async (model) => {
        model.clock.now += ms;
        model.level = Math.min(most, model.level + ms);
      }),
    ],
    () => {
      const clock = new Clock();
      const real = memoryGuardrailState(() => clock.now).rate;
      return { model: { level: most, taken: 0, closedUntil: 0, clock }, real };
    },
  );
});

test('R3-062, A21 slots are a list of leases that end', async () => {
  interface Model {
    held: { holder: string; agent: string; endsAt: number; lease: SlotLease }[];
    clock: Clock;
  }
  type Real = GuardrailState['slots'];
  const LIMIT = 3;
  const AGENT_LIMIT = 2;
  const LEASE = 100;
  const alive = (model: Model) => model.held.filter(({ endsAt }) => endsAt > model.clock.now);
  await agree<Model, Real>(
    [
      command(
        'acquire',
        fc.record({ holder: fc.nat(6).map((n) => `h${n}`), agent: fc.constantFrom('a', 'b') }),
        ({ holder, agent }) =>
          async (model, slots) => {
            const request = { key: 'slots#x', limit: LIMIT, agentLimit: AGENT_LIMIT, agent, holder, leaseMs: LEASE };
            const decision = await slots.acquire(request);
            const live = alive(model);
            const own = live.find((one) => one.holder === holder);
            const full = live.length >= LIMIT || live.filter((one) => one.agent === agent).length >= AGENT_LIMIT;
            if (own) return expect(decision).toEqual({ acquired: true, lease: own.lease, inUse: live.length });
            expect(decision.acquired).toBe(!full);
            if (!decision.acquired) return;
            expect(live.map(({ lease }) => lease.slot)).not.toContain(decision.lease.slot);
            expect(decision.inUse).toBe(live.length + 1);
            model.held = [...live, { holder, agent, endsAt: model.clock.now + LEASE, lease: decision.lease }];
          },
      ),
      command('release', fc.nat(9), (index) => async (model, slots) => {
        const one = model.held[index];
        if (!one) return;
        await slots.release(one.lease);
        // The lease of somebody who came too late may be another's by now: that one keeps it.
        if (one.endsAt > model.clock.now) model.held = model.held.filter((other) => other !== one);
      }),
      command('advance', fc.integer({ min: 1, max: 80 }), (ms) => async (model, slots) => {
        model.clock.now += ms;
        expect(await slots.inUse('slots#x')).toBe(alive(model).length);
      }),
    ],
    () => {
      const clock = new Clock();
      return { model: { held: [], clock }, real: memoryGuardrailState(() => clock.now).slots };
    },
  );
});

test('R3-068 … R3-077, G28 a budget is a sum that no reservation takes past its limit', async () => {
  const WINDOW = 1000;
  const LIMIT = 20;
  interface Model {
    window: number;
    spent: number;
    /** Cost that was spent without a reservation: only such cost may be above the limit. */
    beyond: number;
    open: Map<string, number>;
    kept: BudgetReservation[];
    clock: Clock;
  }
  type Real = GuardrailState['budgets'];
  const roll = (model: Model) => {
    const window = Math.floor(model.clock.now / WINDOW);
    if (window > model.window) Object.assign(model, { window, spent: 0, beyond: 0, open: new Map() });
  };
  const compare = async (model: Model, budgets: Real) => {
    expect(await budgets.spent('budget#x', WINDOW)).toBe(model.spent);
    expect(model.spent - model.beyond).toBeLessThanOrEqual(LIMIT);
  };
  await agree<Model, Real>(
    [
      command(
        'reserve',
        fc.record({ id: fc.nat(8).map((n) => `r${n}`), amount: fc.nat(9), whole: fc.boolean() }),
        ({ id, amount, whole }) =>
          async (model, budgets) => {
            roll(model);
            const atLeast = whole ? amount : Math.min(1, amount);
            const request = { key: 'budget#x', limit: LIMIT, windowMs: WINDOW, reservationId: id, amount, atLeast };
            const decision = await budgets.reserve(request);
            const known = model.open.get(id);
            const granted = known ?? Math.min(amount, LIMIT - model.spent);
            const fits = known !== undefined || (model.spent < LIMIT && granted >= atLeast);
            expect(decision.reserved).toBe(fits);
            if (decision.reserved) {
              expect(decision.reservation.amount).toBe(granted);
              model.kept.push(decision.reservation);
              if (known === undefined) {
                model.spent += granted;
                model.open.set(id, granted);
              }
            } else expect(decision.resetAfterMs).toBe((model.window + 1) * WINDOW - model.clock.now);
            await compare(model, budgets);
          },
      ),
      command('settle', fc.tuple(fc.nat(9), fc.nat(12)), ([index, actual]) => async (model, budgets) => {
        const reservation = model.kept[index];
        if (!reservation) return;
        roll(model);
        await budgets.closeReservation(reservation, actual);
        const { reservationId, amount } = reservation;
        if (model.open.get(reservationId) === amount) {
          model.open.delete(reservationId);
          model.spent += actual - amount;
          model.beyond += Math.max(0, actual - amount);
        }
        await compare(model, budgets);
      }),
      command('advance', fc.integer({ min: 1, max: 700 }), (ms) => async (model, budgets) => {
        model.clock.now += ms;
        roll(model);
        await compare(model, budgets);
      }),
    ],
    () => {
      const clock = new Clock();
      const window = Math.floor(clock.now / WINDOW);
      const model = { window, spent: 0, beyond: 0, open: new Map(), kept: [], clock };
      return { model, real: memoryGuardrailState(() => clock.now).budgets };
    },
  );
});

test('R3-039 … R3-047, G31 a breaker opens after so many failures in a row, and is probed by so many at once', async () => {
  const settings = { ...BUILT_IN, failureThreshold: 3, resetAfterMs: 500, halfOpenProbes: 2 };
  const LEASE = 100;
  interface Call {
    readonly ticket: CircuitTicket;
    /** Counts the breaker's lives: a run that began before a change of state says nothing after it. */
    readonly era: number;
    readonly endsAt: number;
  }
  interface Model {
    state: 'closed' | 'open' | 'half-open';
    era: number;
    failures: number;
    openedAt: number;
    calls: Call[];
    clock: Clock;
  }
  type Real = CircuitBreaker;
  const enter = (model: Model, state: Model['state']) => {
    Object.assign(model, { state, era: model.era + 1, failures: 0, openedAt: model.clock.now });
  };
  const probes = (model: Model) =>
    model.calls.filter(({ era, endsAt }) => era === model.era && endsAt > model.clock.now);
  const result = fc.constantFrom('success', 'failure', 'neutral');
  await agree<Model, Real>(
    [
      command('call', fc.constant(0), () => async (model, breaker) => {
        if (model.state === 'open' && model.clock.now - model.openedAt >= settings.resetAfterMs)
          enter(model, 'half-open');
        const admitted =
          model.state === 'closed' || (model.state === 'half-open' && probes(model).length < settings.halfOpenProbes);
        const entry = await breaker.admit('circuit#x', settings, LEASE);
        expect(entry.admitted).toBe(admitted);
        if (!entry.admitted) return expect(entry.state).toBe(model.state);
        // A closed breaker leases nothing: there, a call may take as long as it likes.
        const endsAt = model.state === 'closed' ? Number.POSITIVE_INFINITY : model.clock.now + LEASE;
        model.calls.push({ ticket: entry.ticket, era: model.era, endsAt });
      }),
      command('end', fc.tuple(fc.nat(9), result), ([index, how]) => async (model, breaker) => {
        const [call] = model.calls.splice(index, 1);
        if (!call) return;
        const before = model.state;
        // A probe stays until another call looks and finds its lease ended.
        const counts = call.era === model.era && model.state !== 'open';
        await breaker.report('circuit#x', settings, call.ticket, how);
        const late = call.endsAt <= model.clock.now;
        if (counts && model.state === 'half-open' && !late) {
          if (how === 'success') enter(model, 'closed');
          if (how === 'failure') enter(model, 'open');
        } else if (counts && model.state === 'closed') {
          if (how === 'success') model.failures = 0;
          if (how === 'failure' && ++model.failures >= settings.failureThreshold) enter(model, 'open');
        }
        const { row } = await breaker.load('circuit#x');
        if (late) Object.assign(model, adopt(row.state, before, model));
        expect(row.state).toBe(model.state);
      }),
      command('advance', fc.integer({ min: 1, max: 300 }), (ms) => async (model) => {
        model.clock.now += ms;
      }),
    ],
    () => {
      const clock = new Clock();
      const runtime = { now: () => clock.now, random: () => 0.5, newId: () => `id-${++ids}`, sleep: async () => {} };
      const state = memoryGuardrailState(runtime.now);
      const model: Model = { state: 'closed', era: 0, failures: 0, openedAt: 0, calls: [], clock };
      return { model, real: new CircuitBreaker(state.circuits, runtime) };
    },
  );

  /** A probe that is late, whose place nobody took yet, may still be listened to or not: both are right. */
  function adopt(state: Model['state'], before: Model['state'], model: Model): Partial<Model> {
    if (state === before) return {};
    return { state, era: model.era + 1, failures: 0, openedAt: model.clock.now };
  }
});
let ids = 0;
