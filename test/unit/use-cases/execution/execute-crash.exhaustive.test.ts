/**
 * Fails every call of every port while the gate runs a call (G27, G28, G32).
 *
 * Each fails before and after its effect.
 */
import { describe, expect, test } from 'vitest';
import { budgetKey, toolSlotsKey } from '../../../../shared/guardrails/settings/keys.ts';
import type { BudgetStore, SlotStore } from '../../../../shared/ports/stores/guardrail-state.ts';
import { Failing, type Failure } from '../crashes.ts';
import { approvedCall, guarded, requestRun, resultOf, scriptedTools } from '../running.ts';
import { World } from '../world.ts';

const MINUTE = 60_000;

const MAX_COST = 6;
const LIMITS = `{ agents: { coder: { budget: { costPerDay: 100 } } }, tools: { Refund: { costPerCall: ${MAX_COST} } } }`;

const ran = async (world: World) => (await world.audit('p1')).filter(({ type }) => type === 'ran');

/** Runs one execution with a failure at one call of one port, and everything that repairs it. */
async function withFailure(failure: Failure | undefined) {
  const scripted = scriptedTools('Refund');
  let clock: World['clock'] | undefined;
  let armed: Failing | undefined;
  const ports = new Map<string, object>();
  const world: World = new World(guarded(LIMITS), {
    tools: scripted.tools,
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
  clock = world.clock;
  const call = await approvedCall(world);
  armed = new Failing(failure, () => clock);
  await requestRun(world, call).catch(() => undefined);
  // The message comes again, the reconciler runs, leases end.
  await world.clock.advance(10 * MINUTE);
  const failing = armed;
  armed = undefined;
  const held = async () => {
    const slots = ports.get('limits.slots') as SlotStore;
    const budgets = ports.get('limits.budgets') as BudgetStore;
    return {
      slots: await slots.inUse(toolSlotsKey({ toolName: 'Refund', origin: 'local' }, '')),
      spent: (await budgets.spent(budgetKey('agent:coder', 'cost'), 24 * 60 * MINUTE)) / 1e6,
    };
  };
  return { world, scripted, failing, call, held };
}

describe('G27 G28 G32 a failure at every call of every port', async () => {
  const { failing } = await withFailure(undefined);
  const failures = Array.from({ length: failing.calls }, (_, index) => index + 1).flatMap((at) =>
    (['before', 'after'] as const).flatMap((when) => (['fault', 'crash'] as const).map((kind) => ({ at, when, kind }))),
  );

  test('there is something to fail', () => expect(failing.calls).toBeGreaterThan(12));

  test.each(failures)('$kind $when call $at: at most one run, one result, one record of it', async (failure) => {
    const { world, scripted, failing: broken, call, held } = await withFailure(failure);
    const where = broken.hit ?? 'nothing';
    const result = await resultOf(world);
    expect(scripted.calls.length, where).toBeLessThanOrEqual(1);
    expect(result, where).toBeDefined();
    const entries = await ran(world);
    const { slots, spent } = await held();
    expect(slots, where).toBe(0);
    // Only a cost that nobody could find out stays charged until its window ends: towards refusal, never beyond.
    const leaks = failure.kind === 'crash' || where.includes('limits.budgets');
    const charged = result?.status === 'refused' ? [0] : result?.status === 'succeeded' ? [MAX_COST] : [0, MAX_COST];
    expect(leaks ? [0, MAX_COST, 2 * MAX_COST] : charged, where).toContain(spent);
    if (result?.status === 'refused') {
      // Refused is only what surely did not run, and then the permit is as good as before.
      expect(scripted.calls, where).toHaveLength(0);
      if (result.permit === 'usable') {
        await requestRun(world, call, 'again');
        expect(await resultOf(world, 'p1', 'again'), where).toMatchObject({ status: 'succeeded' });
      }
    } else {
      expect(entries, where).toHaveLength(1);
      expect(entries[0]?.ran?.status, where).toBe(result?.status);
      if (result?.status === 'succeeded') expect(scripted.calls, where).toHaveLength(1);
      else expect(world.slack.notices.length, where).toBeGreaterThanOrEqual(1);
    }
    expect(world.gate.queues.executions.deadLetters, where).toEqual([]);
  });
});
