/**
 * Transactions that meet another one on the same item are tried again after a jittered pause. The asks of one batch all count at the same
 * rows (A14): without the pause they would go back to their queue for a minute.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CancellationReason,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';

const TRIES = 6;
const FIRST_PAUSE_MS = 25;

/** Milliseconds before the next try; a spread of twice the last one's, so that those who met do not meet again. */
const jittered = (attempt: number): Promise<void> => delay(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);

export type Transacted =
  | { readonly ok: true }
  /** A condition did not hold, and nothing was written; one reason for each write, in their order. */
  | { readonly ok: false; readonly reasons: readonly CancellationReason[] };

/** Throws what is neither a condition nor a passing conflict. `pause` is replaced in tests. */
export async function transact(
  client: DynamoDBClient,
  writes: TransactWriteItem[],
  pause: (attempt: number) => Promise<void> = jittered,
): Promise<Transacted> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: writes }));
      return { ok: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      if (failed(reasons).length) return { ok: false, reasons };
      if (attempt === TRIES || !reasons.some(({ Code }) => Code === 'TransactionConflict')) throw error;
      await pause(attempt);
    }
  }
}

/** Which of the writes had a condition that did not hold. */
export const failed = (reasons: readonly CancellationReason[]): number[] =>
  reasons.flatMap(({ Code }, index) => (Code === 'ConditionalCheckFailed' ? [index] : []));
