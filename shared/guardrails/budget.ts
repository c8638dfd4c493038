/**
 * Reserves budgets of time and cost before a call, and books the real use after it.
 *
 * The contract lets a call overshoot, the gate forbids it; both hold here. A call is admitted while
 * used < limit, and what it may take is what is left: time that is short shortens the attempt's deadline, so nothing runs beyond the limit. Cost cannot
 * be cut short, so the most that a call may cost (`costPerCall`) must fit whole. Only a tool that then reports more than
 * it declared passes the limit; that is recorded in full and told as `BudgetOverrun`.
 */
import type { BudgetReservation, BudgetStore } from '../ports/stores/guardrail-state.ts';
import { contractError } from './errors.ts';
import { budgetKey } from './keys.ts';
import type { ResolvedBudget } from './resolve.ts';

export interface BudgetClaim {
  /** The longest that the attempt may run. */
  readonly timeMs: number;
  /** The most that it may cost. */
  readonly cost: number;
  /** One per attempt and permit: asked for twice it counts once. */
  readonly reservationId: string;
}

export interface NamedReservation extends BudgetReservation {
  readonly id: string;
  readonly kind: ResolvedBudget['kind'];
}

/** How full a budget is, in its smallest unit. */
export interface BudgetLevel {
  readonly id: string;
  readonly used: number;
  readonly limit: number;
}

export type BudgetGrant =
  | {
      readonly granted: true;
      readonly reservations: readonly NamedReservation[];
      readonly timeMs: number;
      readonly levels: readonly BudgetLevel[];
    }
  | { readonly granted: false; readonly budgetId: string; readonly resetAfterMs: number };

export interface BudgetUse {
  readonly timeMs: number;
  /** As the tool reported it; absent: what was reserved. */
  readonly cost?: number | undefined;
}

/** Millionths of the currency, rounded up; the detour drops the noise of binary fractions (0.1 + 0.2). */
const millionths = (cost: number): number => Math.ceil(Number((cost * 1e6).toPrecision(15)));

/** A cost is a number of at least 0. Nothing else is read as one: not a text, not null, not true, not NaN. */
export function checkedCost(cost: unknown): number {
  if (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 && cost <= 1e9) return cost;
  throw contractError('InvalidCost', 'The cost must be a number of at least 0.');
}

export class BudgetKeeper {
  readonly #store: BudgetStore;

  constructor(store: BudgetStore) {
    this.#store = store;
  }

  /** All budgets or none. `timeMs` of the grant is how long the attempt may take. */
  async reserve(budgets: readonly ResolvedBudget[], claim: BudgetClaim): Promise<BudgetGrant> {
    const cost = millionths(checkedCost(claim.cost));
    const reservations: NamedReservation[] = [];
    const levels: BudgetLevel[] = [];
    let timeMs = claim.timeMs;
    try {
      for (const { id, kind, limit, windowMs } of budgets) {
        const isTime = kind === 'time';
        const amount = isTime ? Math.ceil(timeMs) : cost;
        const most = isTime ? Math.floor(limit) : Math.floor(limit * 1e6);
        const decision = await this.#store.reserve({
          key: budgetKey(id, kind),
          limit: most,
          windowMs,
          reservationId: claim.reservationId,
          amount,
          atLeast: isTime ? Math.min(1, amount) : amount,
        });
        if (!decision.reserved) {
          await this.cancel(reservations);
          return { granted: false, budgetId: `${id}:${kind}`, resetAfterMs: decision.resetAfterMs };
        }
        reservations.push({ ...decision.reservation, id, kind });
        levels.push({ id: `${id}:${kind}`, used: decision.used, limit: most });
        if (isTime) timeMs = Math.min(timeMs, decision.reservation.amount);
      }
    } catch (error) {
      await this.cancel(reservations);
      throw error;
    }
    return { granted: true, reservations, timeMs, levels };
  }

  /** The call never started. */
  async cancel(reservations: readonly NamedReservation[]): Promise<void> {
    for (const reservation of reservations.toReversed())
      await this.#store.closeReservation(reservation, 0).catch(() => {});
  }

  /** Charges what was used; answers the budgets that it passed. */
  async closeReservation(reservations: readonly NamedReservation[], use: BudgetUse): Promise<NamedReservation[]> {
    const overrun: NamedReservation[] = [];
    for (const reservation of reservations) {
      const actual = actualAmount(reservation, use);
      if (actual > reservation.amount) overrun.push(reservation);
      // An unsettled reservation stays charged in full until its window ends: towards refusal.
      await this.#store.closeReservation(reservation, actual).catch(() => {});
    }
    return overrun;
  }
}

function actualAmount(reservation: NamedReservation, use: BudgetUse): number {
  if (reservation.kind === 'time') return Math.min(Math.ceil(Math.max(0, use.timeMs)), reservation.amount);
  // A report that is no cost neither credits nor frees anything.
  const valid = typeof use.cost === 'number' && Number.isFinite(use.cost) && use.cost >= 0 && use.cost <= 1e9;
  return valid ? millionths(use.cost as number) : reservation.amount;
}
