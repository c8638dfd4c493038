/** Checks a call that one process begins and another ends (A19): what an attempt holds is plain data. */
import { expect, test } from 'vitest';
import { Admission, type AdmissionTicket } from '../../../shared/guardrails/limits/admission.ts';
import { budgetKey, toolSlotsKey } from '../../../shared/guardrails/settings/keys.ts';
import { resolveGuardrails } from '../../../shared/guardrails/settings/resolve.ts';
import { policyOf, world } from './harness.ts';

const tool = { toolName: 't', origin: 'local' };
const config = policyOf({
  environment: { maxConcurrent: 1, maxQueue: 0, costPerCall: 1, failureThreshold: 1, budget: { costPerDay: 1 } },
});

test('admitted here, reported there: slot, breaker and budget all learn of it, once', async () => {
  const { runtime, state } = world();
  const resolved = resolveGuardrails(config, { ...tool, agentId: 'a1', now: runtime.now() });
  const redeem = new Admission(state, runtime, true);
  const record = new Admission(state, runtime, true);
  const request = { tool, agentId: 'a1', resolved, timeMs: 1000, reservationId: 'permit-1/1' };
  const entered = await runtime.run(redeem.enter(request));
  if (!('ticket' in entered)) throw new Error('refused');
  const ticket = JSON.parse(JSON.stringify(entered.ticket)) as AdmissionTicket;
  expect(await state.slots.inUse(toolSlotsKey(tool, ''))).toBe(1);

  await runtime.run(record.complete(resolved, ticket, { timeMs: 10, cost: 0.25 }));
  await runtime.run(record.complete(resolved, ticket, { timeMs: 10, cost: 0.25 }));
  expect(await state.slots.inUse(toolSlotsKey(tool, ''))).toBe(0);
  expect(await state.budgets.spent(budgetKey('environment:test', 'cost'), 86_400_000)).toBe(250_000);
  // The rest of the day's budget no longer holds a call that may cost 1.
  const second = await runtime.run(redeem.enter({ ...request, reservationId: 'permit-2/1' }));
  expect(second).toMatchObject({ admitted: false, error: { code: 'BudgetExceeded' } });
});

test('a permit that is never reported frees its slot when the lease ends, and stays charged', async () => {
  const { runtime, state } = world();
  const resolved = resolveGuardrails(config, { ...tool, agentId: 'a1', now: runtime.now() });
  const admission = new Admission(state, runtime, true);
  const request = { tool, agentId: 'a1', resolved, timeMs: 1000, reservationId: 'permit-1/1' };
  await runtime.run(admission.enter(request));
  runtime.jump(10_000);
  expect(await state.slots.inUse(toolSlotsKey(tool, ''))).toBe(0);
  expect(await state.budgets.spent(budgetKey('environment:test', 'cost'), 86_400_000)).toBe(1_000_000);
});
