/** Checks budgets against a plain account book: none is overspent, and nothing counts twice. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGuardrailState } from '../../../../shared/adapters/memory/guardrails/state.ts';
import { BudgetKeeper, checkedCost, type NamedReservation } from '../../../../shared/guardrails/limits/budget.ts';
import { budgetKey } from '../../../../shared/guardrails/settings/keys.ts';
import type { ResolvedBudget } from '../../../../shared/guardrails/settings/resolve.ts';
import { FakeRuntime } from '../fake-runtime.ts';
import { world } from '../harness.ts';

const DAY_MS = 86_400_000;
const costly = (spent: number, cost = 1, limit = 100) => {
  const w = world({ environment: { costPerCall: cost, budget: { costPerDay: limit } } });
  const key = budgetKey('environment:test', 'cost');
  const earlier = { key, limit: limit * 1e6, windowMs: DAY_MS, reservationId: 'earlier' };
  const charge = async () => {
    if (spent > 0) await w.state.budgets.reserve({ ...earlier, amount: spent * 1e6, atLeast: spent * 1e6 });
  };
  return { w, charge, spent: async () => (await w.state.budgets.spent(key, DAY_MS)) / 1e6 };
};

describe('cost', () => {
  test('GR-001 under every limit the call runs', async () => {
    const { w, charge, spent } = costly(1);
    await charge();
    expect((await w.invoke()).status).toBe('Ok');
    expect(await spent()).toBe(2);
  });

  test('GR-002 GR-006 GR-007 GR-009 a cost that is no number neither passes nor credits a budget', async () => {
    for (const cost of [Number.NaN, '5', null, true, undefined, -1, Number.POSITIVE_INFINITY, {}, [1]]) {
      expect(() => checkedCost(cost)).toThrow('cost');
      const keeper = new BudgetKeeper(memoryGuardrailState(() => 0).budgets);
      const budgets = [{ id: 'agent:a', kind: 'cost', limit: 100, windowMs: DAY_MS }] as const;
      const claim = { timeMs: 1, cost: cost as number, reservationId: 'r' };
      expect(() => keeper.reserve(budgets, claim)).toThrow('cost');

      // Reported afterwards by the tool: the reservation stands.
      const { w, charge, spent } = costly(99);
      await charge();
      const report = world({
        environment: { costPerCall: 1, budget: { costPerDay: 100 } },
        state: w.state,
        runtime: w.runtime,
        behaviour: async ({ reportCost }) => reportCost(cost as number),
      });
      await report.invoke();
      expect(await spent()).toBe(100);
      expect((await report.invoke()).error?.code).toBe('BudgetExceeded');
    }
  });

  test.each([
    [8.2, 0.82, 10],
    [4.1, 4.1, 1],
    [2.01, 0.67, 3],
  ])('a budget of %d holds exactly what is divided evenly: %d, %d times', async (limit, cost, times) => {
    const { w, spent } = costly(0, cost, limit);
    for (let call = 0; call < times; call++) expect((await w.invoke()).status).toBe('Ok');
    expect(await spent()).toBe(limit);
    expect((await w.invoke()).error?.code).toBe('BudgetExceeded');
  });

  test('GR-010 exactly at the limit the next unit is refused, for the rest of the day', async () => {
    const { w, charge } = costly(100);
    await charge();
    const refused = await w.invoke();
    expect(refused.error).toMatchObject({
      category: 'PolicyError',
      code: 'BudgetExceeded',
      isRetryable: false,
      details: { budgetId: 'environment:test:cost', resetAfterMs: DAY_MS },
    });
    await w.runtime.advance(DAY_MS);
    expect((await w.invoke()).status).toBe('Ok');
  });

  test('GR-013 a permit that is run twice is charged once', async () => {
    const { w, charge, spent } = costly(98);
    await charge();
    const keeper = new BudgetKeeper(w.state.budgets);
    const budgets = [{ id: 'environment:test', kind: 'cost', limit: 100, windowMs: DAY_MS }] as const;
    const claim = { timeMs: 1, cost: 1, reservationId: 'permit-1/1' };
    const first = await keeper.reserve(budgets, claim);
    expect(await keeper.reserve(budgets, claim)).toEqual(first);
    expect(await spent()).toBe(99);
    if (first.granted) await keeper.closeReservation(first.reservations, { timeMs: 1 });
    if (first.granted) await keeper.closeReservation(first.reservations, { timeMs: 1 });
    expect(await spent()).toBe(99);
  });

  test('what a tool did not use comes back, and what it used beyond its word is told', async () => {
    let cost = 0.25;
    const w = world({
      environment: { costPerCall: 1, budget: { costPerDay: 2 } },
      behaviour: async ({ reportCost }) => reportCost(cost),
    });
    for (let i = 0; i < 4; i++) expect((await w.invoke()).status).toBe('Ok');
    expect(w.named('BudgetOverrun')).toHaveLength(0);
    cost = 1.5;
    expect((await w.invoke()).status).toBe('Ok');
    expect(w.named('BudgetOverrun')).toHaveLength(1);
    expect((await w.invoke()).error?.code).toBe('BudgetExceeded');
  });

  test('a call that a later stage refuses costs nothing', async () => {
    const { w, spent } = costly(0);
    const wide = world({
      environment: { costPerCall: 1, budget: { costPerDay: 100 }, ratePerSecond: 1, burst: 1 },
      state: w.state,
      runtime: w.runtime,
    });
    await wide.invoke();
    expect((await wide.invoke()).error?.code).toBe('RateLimited');
    expect(await spent()).toBe(1);
  });
});

describe('time', () => {
  const slow = (limitMs: number, takesMs: number) =>
    world({
      environment: { timeoutMs: 5000, maxConcurrent: 10, ratePerSecond: 1000, budget: { timeMsPerMinute: limitMs } },
      behaviour: (_attempt, runtime) => runtime.sleep(takesMs),
    });

  test('is charged as it was used, and the rest is free again (R3-074)', async () => {
    const w = slow(10_000, 3000);
    for (let i = 0; i < 3; i++) expect((await w.invoke()).status).toBe('Ok');
    expect(await w.state.budgets.spent(budgetKey('environment:test', 'time'), 60_000)).toBe(9000);
  });

  test('a call that finds little left runs no longer than that (G28, R3-074)', async () => {
    const w = slow(10_000, 3000);
    for (let i = 0; i < 3; i++) await w.invoke();
    const short = await w.invoke();
    expect(short.error).toMatchObject({ code: 'Timeout', details: { elapsedMs: 1000, deadlineMs: 1000 } });
    expect(await w.state.budgets.spent(budgetKey('environment:test', 'time'), 60_000)).toBe(10_000);
    expect((await w.invoke()).error?.code).toBe('BudgetExceeded');
    await w.runtime.advance(60_000);
    expect((await w.invoke()).status).toBe('Ok');
  });

  test('every budget of agent, role and environment has to admit (R3-070)', async () => {
    for (const scope of ['agent', 'role', 'environment']) {
      const budget = (name: string) => ({ budget: { timeMsPerMinute: name === scope ? 1000 : 60_000 } });
      const w = world({
        environment: budget('environment'),
        config: { roles: { r: budget('role') }, agents: { a1: { roles: ['r'], ...budget('agent') } } },
        behaviour: (_attempt, runtime) => runtime.sleep(1000),
      });
      await w.invoke();
      const refused = await w.invoke();
      expect(refused.error?.code).toBe('BudgetExceeded');
      expect(String(refused.error?.details['budgetId'])).toContain(`${scope}:`);
    }
  });
});

test('whatever is reserved, settled and cancelled, in any order: the book never passes the limit', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('reserve' as const), cost: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ do: fc.constant('settle' as const), at: fc.nat(20), part: fc.integer({ min: 0, max: 100 }) }),
    fc.record({ do: fc.constant('cancel' as const), at: fc.nat(20) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 90_000 }) }),
  );
  const limits = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 3 });
  return fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (limitList, steps) => {
      const runtime = new FakeRuntime();
      const { budgets } = memoryGuardrailState(runtime.now);
      const keeper = new BudgetKeeper(budgets);
      const all = limitList.map((limit, i): ResolvedBudget => ({ id: `b${i}`, kind: 'cost', limit, windowMs: 60_000 }));
      // The reference: what is spent in the window that time is in, and what is still open of it.
      let window = runtime.now();
      let spent = 0;
      const open: { reservations: readonly NamedReservation[]; cost: number; window: number }[] = [];
      for (const [index, one] of steps.entries()) {
        if (one.do === 'wait') {
          runtime.jump(one.ms);
          const now = Math.floor(runtime.now() / 60_000) * 60_000;
          if (now > window) [window, spent] = [now, 0];
        } else if (one.do === 'reserve') {
          const grant = await keeper.reserve(all, { timeMs: 1, cost: one.cost, reservationId: `r${index}` });
          expect(grant.granted).toBe(limitList.every((limit) => spent < limit && spent + one.cost <= limit));
          if (!grant.granted) continue;
          spent += one.cost;
          open.push({ reservations: grant.reservations, cost: one.cost, window });
        } else {
          const [taken] = open.splice(one.at, 1);
          if (!taken) continue;
          const used = one.do === 'settle' ? Math.floor((taken.cost * one.part) / 100) : 0;
          if (one.do === 'settle') await keeper.closeReservation(taken.reservations, { timeMs: 1, cost: used });
          else await keeper.cancel(taken.reservations);
          // A second cancel changes nothing.
          await keeper.cancel(taken.reservations);
          if (taken.window === window) spent += used - taken.cost;
        }
        for (const { id, limit } of all) {
          const booked = (await budgets.spent(budgetKey(id, 'cost'), 60_000)) / 1e6;
          expect(booked).toBe(spent);
          expect(booked).toBeLessThanOrEqual(limit);
        }
      }
    }),
  );
});
