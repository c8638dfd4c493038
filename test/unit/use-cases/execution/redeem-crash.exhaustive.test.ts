/**
 * Fails every call of every port around a tool server's run (G27, G28, G32).
 *
 * The server redeems a permit, runs the call and reports its outcome. Each call fails before and after its effect.
 */
import { describe, expect, test } from 'vitest';
import { budgetKey, toolSlotsKey } from '../../../../shared/guardrails/settings/keys.ts';
import type { BudgetStore, SlotStore } from '../../../../shared/ports/stores/guardrail-state.ts';
import { Failing, type Failure } from '../crashes.ts';
import { approvedCall, guarded, redeemed, report } from '../running.ts';
import { World } from '../world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The most that one call may cost, and its reported cost. */
const [MAX_COST, COST] = [6, 2];
const LIMITS = `{ agents: { coder: { budget: { costPerDay: 100 } } }, tools: { Refund: { costPerCall: ${MAX_COST} } } }`;

async function withFailure(failure: Failure | undefined) {
  let armed: Failing | undefined;
  const ports = new Map<string, object>();
  const world: World = new World(guarded(LIMITS), {
    wrap: (name, port) => {
      ports.set(name, port);
      return new Proxy(port, {
        get(target, key) {
          // A process's own memory does not fail.
          const wrapped = armed && key !== 'peek' ? armed.wrap(name, target) : target;
          const value: unknown = Reflect.get(wrapped, key);
          return typeof value === 'function' && wrapped === target ? value.bind(target) : value;
        },
      });
    },
  });
  const call = await approvedCall(world);
  armed = new Failing(failure, () => world.clock);
  let runs = 0;
  /** A tool server: it runs what it was granted, and reports it; what it was not told, it does not run. */
  const serve = async () => {
    const answer = await redeemed(world, call).catch(() => undefined);
    if (!answer?.granted) return answer;
    runs++;
    await report(world, call, { cost: COST });
    return answer;
  };
  const first = await serve();
  // The report comes again, the reconciler runs, leases end.
  await world.clock.advance(10 * MINUTE);
  const failing = armed;
  armed = undefined;
  const second = await serve();
  await world.clock.advance(10 * MINUTE);
  const slots = ports.get('limits.slots') as SlotStore;
  const inUse = await slots.inUse(toolSlotsKey({ toolName: 'Refund', origin: 'local' }, ''));
  const budgets = ports.get('limits.budgets') as BudgetStore;
  const spent = (await budgets.spent(budgetKey('agent:coder', 'cost'), DAY)) / 1e6;
  return { world, failing, first, second, runs, inUse, spent };
}

describe('G27 G28 G32 a failure at every call of every port', async () => {
  const { failing } = await withFailure(undefined);
  const failures = Array.from({ length: failing.calls }, (_, index) => index + 1).flatMap((at) =>
    (['before', 'after'] as const).flatMap((when) => (['fault', 'crash'] as const).map((kind) => ({ at, when, kind }))),
  );

  test('there is something to fail', () => expect(failing.calls).toBeGreaterThan(15));

  test.each(failures)('$kind $when call $at: at most one run, one record, and everything settled', async (failure) => {
    const { world, failing: broken, first, second, runs, inUse, spent } = await withFailure(failure);
    const where = broken.hit ?? 'nothing';
    const ran = (await world.audit('p1')).filter(({ type }) => type === 'ran');
    expect(runs, where).toBeLessThanOrEqual(1);
    expect(inUse, where).toBe(0);
    expect(ran, where).toHaveLength(1);
    expect(ran[0]?.ran?.by, where).toBe('holder');
    if (runs === 1) {
      // Either it was granted at once, or what came of the failure left the permit usable.
      expect([first?.granted, second?.granted].filter(Boolean), where).toHaveLength(1);
      expect(ran[0]?.ran?.status, where).toBe('succeeded');
    } else {
      // Granted, and nobody heard of it: nobody knows, a person is told, and it is never granted again.
      expect(ran[0]?.ran?.status, where).toBe('unknown');
      expect(world.slack.notices, where).toEqual([expect.stringContaining('Nobody knows')]);
      expect(second, where).toMatchObject({ granted: false, error: { code: 'already_consumed' } });
    }
    // Only a cost that nobody could find out stays charged until its window ends: towards refusal, never beyond.
    const leaks = failure.kind === 'crash' || where.includes('limits.budgets');
    const charged = runs === 1 ? [COST] : [MAX_COST, 0];
    expect(leaks ? [...charged, MAX_COST, MAX_COST + COST] : charged, where).toContain(spent);
    expect(world.gate.queues.outcomes.deadLetters, where).toEqual([]);
  });
});
