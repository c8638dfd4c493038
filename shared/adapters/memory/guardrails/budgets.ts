/** Stores the budgets of one process. */
import type {
  BudgetDecision,
  BudgetRequest,
  BudgetReservation,
  BudgetStore,
} from '../../../ports/stores/guardrail-state.ts';

interface Row {
  window: number;
  spent: number;
  readonly open: Map<string, number>;
}

export class MemoryBudgets implements BudgetStore {
  readonly #now: () => number;
  readonly #rows = new Map<string, Row>();

  constructor(now: () => number) {
    this.#now = now;
  }

  reserve(request: BudgetRequest): BudgetDecision {
    const { key, limit, windowMs, reservationId, amount, atLeast } = request;
    for (const value of [limit, windowMs, amount, atLeast])
      if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('budget amounts must be whole numbers');
    const row = this.#current(key, windowMs);
    const known = row.open.get(reservationId);
    if (known !== undefined)
      return { reserved: true, reservation: { key, reservationId, amount: known }, used: row.spent };
    const granted = Math.min(amount, limit - row.spent);
    if (row.spent >= limit || granted < atLeast)
      return { reserved: false, resetAfterMs: Math.ceil(row.window + windowMs - this.#now()) };
    row.spent += granted;
    row.open.set(reservationId, granted);
    return { reserved: true, reservation: { key, reservationId, amount: granted }, used: row.spent };
  }

  closeReservation({ key, reservationId, amount }: BudgetReservation, actual: number): void {
    if (!Number.isSafeInteger(actual) || actual < 0) throw new RangeError('budget amounts must be whole numbers');
    const row = this.#rows.get(key);
    if (row?.open.get(reservationId) !== amount) return;
    row.open.delete(reservationId);
    row.spent += actual - amount;
  }

  spent(key: string, windowMs: number): number {
    return this.#current(key, windowMs).spent;
  }

  /** A window only ever gives way to a later one: a clock that lags does not open an old one again. */
  #current(key: string, windowMs: number): Row {
    const window = Math.floor(this.#now() / windowMs) * windowMs;
    const row = this.#rows.get(key);
    if (row && row.window >= window) return row;
    const fresh = { window, spent: 0, open: new Map<string, number>() };
    this.#rows.set(key, fresh);
    return fresh;
  }
}
