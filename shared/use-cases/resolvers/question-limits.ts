/** Counts and bounds questions to models and hooks, per agent and in all. */
import type { Bound } from '../../config/schema/bounds.ts';
import type { BudgetReservation, BudgetStore } from '../../ports/stores/guardrail-state.ts';
import type { ModelAnswerStore } from '../../ports/stores/model-answers.ts';

/** Only where models and hooks are asked. */
export interface AskingDependencies {
  readonly budgets: BudgetStore;
  readonly answers: ModelAnswerStore;
  readonly newId: () => string;
}

/** One amount that is counted in windows of the clock. */
interface Limit {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly amount: number;
  /** The least that is of use, if that is less than the amount. */
  readonly atLeast?: number;
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * 60_000;

/** The two limits of one bound. */
export function limitsOf(
  name: string,
  agent: string,
  { perAgent, inAll }: Bound,
  counted: Omit<Limit, 'key' | 'limit'>,
): Limit[] {
  const own = { key: `${limitKey(name)}agent#${agent}`, limit: perAgent, ...counted };
  return [own, { key: `${limitKey(name)}all`, limit: inAll, ...counted }];
}

/** Among the rows of budgets, which those who ask may write. */
export const limitKey = (name: string): string => `budget#asked#${name}#`;

/** All of them or none; undefined: one is used up. A process that dies keeps what it reserved until the window is over. */
export async function reserve(
  limits: readonly Limit[],
  { budgets, newId }: AskingDependencies,
): Promise<readonly BudgetReservation[] | undefined> {
  const reservationId = newId();
  const decisions = await Promise.all(
    limits.map((limit) => budgets.reserve({ atLeast: limit.amount, ...limit, reservationId })),
  );
  const reservations = decisions.flatMap((decision) => (decision.reserved ? [decision.reservation] : []));
  if (reservations.length === limits.length) return reservations;
  await Promise.all(reservations.map((reservation) => budgets.closeReservation(reservation, 0)));
  return undefined;
}
