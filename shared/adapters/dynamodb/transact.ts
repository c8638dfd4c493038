/**
 * Tries a transaction again that met another one or a throttle, after a jittered pause.
 * The asks of one batch all count at the same rows: without the pause they would go back to their queue for a minute.
 */
import {
  type CancellationReason,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { pauseOf, type RetryPause } from './retry-pause.ts';

const MAX_TRIES = 6;

/** Reasons that pass by themselves. The SDK repeats a throttled request, but no transaction that was cancelled for a throttle. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);

type Transacted =
  | { readonly ok: true }
  /** A condition did not hold, and nothing was written; one reason for each write, in their order. */
  | { readonly ok: false; readonly reasons: readonly CancellationReason[] };

/** @throws what is neither a condition that did not hold nor a reason that passes, and what has not passed after six tries. */
export async function transact(
  client: DynamoDBClient,
  writes: TransactWriteItem[],
  pause: RetryPause = pauseOf(client),
): Promise<Transacted> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: writes }));
      return { ok: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      if (failed(reasons).length) return { ok: false, reasons };
      if (attempt === MAX_TRIES || !reasons.some(({ Code }) => PASSING.has(Code))) throw error;
      await pause(attempt);
    }
  }
}

/** Indexes of the writes whose condition did not hold. */
export const failed = (reasons: readonly CancellationReason[]): number[] =>
  reasons.flatMap(({ Code }, index) => (Code === 'ConditionalCheckFailed' ? [index] : []));
