/** Takes one of each guardrail as one caller, and tells what each of them allows. */
import { andThen } from '../../../shared/domain/maybe-promise.ts';
import { CircuitBreaker } from '../../../shared/guardrails/limits/circuit.ts';
import { BUILT_IN } from '../../../shared/guardrails/settings/settings.ts';
import type { CircuitRow, GuardrailState } from '../../../shared/ports/stores/guardrail-state.ts';

export const CAP = 4;
export const BURST = 10;
export const BUDGET = 8;
export const LEASE_MS = 300_000;
export const DAY_MS = 86_400_000;
export const OPEN_AND_DUE: CircuitRow = { state: 'open', epoch: 0, failures: 0, results: [], probeAt: 0, probes: [] };

export type What = 'token' | 'slot' | 'unit' | 'probe';

export const namesOf = (key: string) => ({
  bucket: { key: `rate#${key}`, ratePerSecond: 1e-6, burst: BURST },
  slots: { key: `slots#${key}`, limit: CAP, leaseMs: LEASE_MS },
  budget: { key: `budget#${key}`, limit: BUDGET, windowMs: DAY_MS, amount: 1, atLeast: 1 },
  circuit: `circuit#${key}`,
});

/** `took`: told as soon as it has something. */
export async function takeAll(
  { state, now }: { readonly state: GuardrailState; readonly now: () => number },
  key: string,
  holder: string,
  took: (what: What) => void,
): Promise<void> {
  const { bucket, slots, budget, circuit } = namesOf(key);
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const breaker = new CircuitBreaker(state.circuits, { now, random: Math.random, newId: () => holder, sleep });
  await Promise.all([
    andThen(state.rate.take(bucket), ({ admitted }) => admitted && took('token')),
    andThen(state.slots.acquire({ ...slots, agent: 'a', holder }), ({ acquired }) => acquired && took('slot')),
    andThen(state.budgets.reserve({ ...budget, reservationId: holder }), ({ reserved }) => reserved && took('unit')),
    andThen(breaker.admit(circuit, BUILT_IN, LEASE_MS), ({ admitted }) => admitted && took('probe')),
  ]);
}
