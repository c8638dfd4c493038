/**
 * Reserves budgets of time and cost before a call, and books the real use after it.
 *
 * A call is admitted while used < limit, and may take only the rest. For time, the rest shortens the deadline of the
 * attempt, so that nothing runs beyond the limit. Cost cannot be cut short, so that the declared maximum of a call
 * (`costPerCall`) has to fit as a whole. A tool that reports more than it declared is the only way beyond the limit: the
 * budget records all of it, and a `BudgetOverrun` event tells of it.
 */
import { andThen, eachInTurn, type MaybePromise, nothing, orElse } from '../../domain/maybe-promise.ts';
import type { BudgetReservation, BudgetStore } from '../../ports/stores/guardrail-state.ts';
import { contractError } from '../settings/errors.ts';
import { budgetKey } from '../settings/keys.ts';
import type { ResolvedBudget } from '../settings/resolve.ts';
import { BUDGET_KINDS } from '../settings/settings.ts';

interface BudgetClaim {
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

/** `limits`: as the message names them. */
type BudgetRefusal = { readonly budgetId: string; readonly limits: readonly string[]; readonly resetAfterMs: number };

type BudgetGrant =
  | {
      readonly granted: true;
      readonly reservations: readonly NamedReservation[];
      readonly timeMs: number;
      readonly levels: readonly BudgetLevel[];
    }
  | ({ readonly granted: false } & BudgetRefusal);

export interface BudgetUse {
  readonly timeMs: number;
  /** As the tool reported it; absent: what was reserved. */
  readonly cost?: number | undefined;
}

/** Millionths of the currency; the detour drops the noise of binary fractions (0.1 + 0.2, 8.2 × 1e6). */
const inMillionths = (amount: number): number => Number((amount * 1e6).toPrecision(15));

const millionths = (cost: number): number => Math.ceil(inMillionths(cost));

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
  reserve(budgets: readonly ResolvedBudget[], claim: BudgetClaim): MaybePromise<BudgetGrant> {
    const cost = millionths(checkedCost(claim.cost));
    const reservations: NamedReservation[] = [];
    const levels: BudgetLevel[] = [];
    let timeMs = claim.timeMs;
    const reserveRest = (): MaybePromise<BudgetGrant> => {
      const budget = budgets[reservations.length];
      if (!budget) return { granted: true, reservations, timeMs, levels };
      const { id, kind } = budget;
      const request = requestOf(budget, claim.reservationId, kind === 'time' ? Math.ceil(timeMs) : cost);
      return andThen(this.#store.reserve(request), (decision) => {
        if (!decision.reserved) {
          const about = { budgetId: `${id}:${kind}`, limits: limitsOf(budget), resetAfterMs: decision.resetAfterMs };
          return andThen(this.cancel(reservations), () => ({ granted: false, ...about }));
        }
        const { key, reservationId, amount } = decision.reservation;
        reservations.push({ key, reservationId, amount, id, kind });
        levels.push({ id: `${id}:${kind}`, used: decision.used, limit: request.limit });
        if (kind === 'time') timeMs = Math.min(timeMs, amount);
        return reserveRest();
      });
    };
    return orElse(reserveRest, (error) =>
      andThen(this.cancel(reservations), () => {
        throw error;
      }),
    );
  }

  /** The call never started. */
  cancel(reservations: readonly NamedReservation[]): MaybePromise<void> {
    return eachInTurn(reservations.toReversed(), (reservation) => this.#close(reservation, 0));
  }

  /** Charges what was used; answers the budgets that it passed. */
  closeReservation(reservations: readonly NamedReservation[], use: BudgetUse): MaybePromise<NamedReservation[]> {
    const overrun: NamedReservation[] = [];
    const closed = eachInTurn(reservations, (reservation) => {
      const actual = actualAmount(reservation, use);
      if (actual > reservation.amount) overrun.push(reservation);
      return this.#close(reservation, actual);
    });
    return andThen(closed, () => overrun);
  }

  /** An unsettled reservation stays charged in full until its window ends: towards refusal. */
  #close(reservation: NamedReservation, actual: number): MaybePromise<unknown> {
    return orElse(() => this.#store.closeReservation(reservation, actual), nothing);
  }
}

const limitsOf = ({ kind, limit }: ResolvedBudget): readonly string[] => [`${BUDGET_KINDS[kind].setting} ${limit}`];

/** `amount`: the most that is of use. */
function requestOf({ id, kind, limit, windowMs }: ResolvedBudget, reservationId: string, amount: number) {
  const isTime = kind === 'time';
  return {
    key: budgetKey(id, kind),
    limit: Math.floor(isTime ? limit : inMillionths(limit)),
    windowMs,
    reservationId,
    amount,
    atLeast: isTime ? Math.min(1, amount) : amount,
  };
}

function actualAmount(reservation: NamedReservation, use: BudgetUse): number {
  if (reservation.kind === 'time') return Math.min(Math.ceil(Math.max(0, use.timeMs)), reservation.amount);
  // A report that is no cost neither credits nor frees anything.
  const valid = typeof use.cost === 'number' && Number.isFinite(use.cost) && use.cost >= 0 && use.cost <= 1e9;
  return valid ? millionths(use.cost as number) : reservation.amount;
}
