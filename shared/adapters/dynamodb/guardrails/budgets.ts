/**
 * Stores budgets on DynamoDB: a reservation is one update that adds only where it still fits.
 *
 * The row keeps the open reservations by id, so that a write that the SDK repeats, or a second close, counts
 * nothing.
 */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type {
  BudgetDecision,
  BudgetRequest,
  BudgetReservation,
  BudgetStore,
} from '../../../ports/stores/guardrail-state.ts';
import { fromItem } from '../items.ts';
import { dayAfter, type GuardrailTable, numberIn, rowKey, type Update, update } from './rows.ts';

const NAMES = { '#window': 'window', '#open': 'open' };
/** One try may find the window passed, one the amount too large for what is left, one that both changed meanwhile. */
const MAX_TRIES = 5;

export class DynamoBudgets implements BudgetStore {
  readonly #table: GuardrailTable;

  constructor(table: GuardrailTable) {
    this.#table = table;
  }

  async reserve(request: BudgetRequest): Promise<BudgetDecision> {
    const { key, limit, windowMs, reservationId, amount, atLeast } = request;
    for (const value of [limit, windowMs, amount, atLeast])
      if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('budget amounts must be whole numbers');
    const reserved = (granted: number, row: Readonly<Record<string, unknown>> | undefined): BudgetDecision => ({
      reserved: true,
      reservation: { key, reservationId, amount: granted },
      used: numberIn(row, 'spent') ?? granted,
    });
    let window = windowAt(this.#table.now(), windowMs);
    const refused = (): BudgetDecision => ({
      reserved: false,
      resetAfterMs: Math.max(1, Math.ceil(window + windowMs - this.#table.now())),
    });
    let [granted, begins] = [Math.min(amount, limit), false];
    if (granted < atLeast || limit === 0) return refused();
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const change = begins
        ? beginWindow(window, windowMs, reservationId, granted)
        : addTo(window, limit, reservationId, granted);
      const written = await update(this.#table, rowKey(key, 'budget'), change);
      if (written.done) return reserved(granted, written.row);
      const stored = numberIn(written.row, 'window');
      begins = stored === undefined || stored < window;
      if (begins) {
        granted = Math.min(amount, limit);
        continue;
      }
      // A window that another process has begun already is the current one; none is ever opened again.
      window = stored ?? window;
      const open = written.row?.['open'] as Readonly<Record<string, number>> | undefined;
      const known = open && Object.hasOwn(open, reservationId) ? open[reservationId] : undefined;
      if (known !== undefined) return reserved(known, written.row);
      const spent = numberIn(written.row, 'spent') ?? limit;
      granted = Math.min(amount, limit - spent);
      if (spent >= limit || granted < atLeast) return refused();
    }
    return refused();
  }

  async closeReservation({ key, reservationId, amount }: BudgetReservation, actual: number): Promise<void> {
    if (!Number.isSafeInteger(actual) || actual < 0) throw new RangeError('budget amounts must be whole numbers');
    await update(this.#table, rowKey(key, 'budget'), {
      set: 'spent = spent + :difference',
      rest: 'REMOVE #open.#id',
      condition: '#open.#id = :reserved',
      names: { '#open': 'open', '#id': reservationId },
      values: { ':difference': actual - amount, ':reserved': amount },
    });
  }

  async spent(key: string, windowMs: number): Promise<number> {
    const { client, table, now } = this.#table;
    const get = new GetItemCommand({ TableName: table, Key: rowKey(key, 'budget'), ConsistentRead: true });
    const { Item } = await client.send(get);
    const row = Item && fromItem(Item);
    return (numberIn(row, 'window') ?? -1) >= windowAt(now(), windowMs) ? (numberIn(row, 'spent') ?? 0) : 0;
  }
}

const windowAt = (now: number, windowMs: number): number => Math.floor(now / windowMs) * windowMs;

function addTo(window: number, limit: number, reservationId: string, amount: number): Update {
  return {
    set: 'spent = spent + :amount, #open.#id = :amount',
    condition: '#window = :window AND spent <= :most AND spent < :limit AND attribute_not_exists(#open.#id)',
    names: { ...NAMES, '#id': reservationId },
    values: { ':window': window, ':amount': amount, ':most': limit - amount, ':limit': limit },
  };
}

/** Open reservations of the old window go with it: they were charged there. */
function beginWindow(window: number, windowMs: number, reservationId: string, amount: number): Update {
  return {
    set: '#window = :window, spent = :amount, #open = :open, #ttl = :ttl',
    condition: 'attribute_not_exists(pk) OR #window < :window',
    names: { ...NAMES, '#ttl': 'ttl' },
    values: {
      ':window': window,
      ':amount': amount,
      ':open': { [reservationId]: amount },
      ':ttl': dayAfter(window + windowMs),
    },
  };
}
