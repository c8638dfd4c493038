/**
 * Checks transactions that meet others: retried after a pause, and given up after some tries.
 *
 * A conflict is never confused with a condition.
 */
import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { transact } from '../../../../shared/adapters/dynamodb/transact.ts';

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** A client that throws these, one a call, and then succeeds. */
async function against(...errors: Error[]) {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const pauses: number[] = [];
  let calls = 0;
  client.send = async () => {
    const error = errors[calls++];
    if (error) throw error;
  };
  const result = await transact(client, [], async (attempt) => {
    pauses.push(attempt);
  }).catch((error: Error) => error);
  return { result, pauses, calls };
}

test('a conflict is tried again, after a pause that grows', async () => {
  const conflict = cancelled('None', 'TransactionConflict');
  expect(await against(conflict, conflict, conflict)).toEqual({ result: { ok: true }, pauses: [1, 2, 3], calls: 4 });
});

test('a conflict that does not pass is thrown, for the caller’s own retry', async () => {
  const conflict = cancelled('TransactionConflict');
  const { result, calls } = await against(...Array(10).fill(conflict));
  expect(result).toBe(conflict);
  expect(calls).toBe(6);
});

test('a condition that does not hold is an answer, also beside a conflict', async () => {
  const { result, calls } = await against(cancelled('TransactionConflict', 'ConditionalCheckFailed'));
  expect(result).toMatchObject({ ok: false, reasons: [{}, { Code: 'ConditionalCheckFailed' }] });
  expect(calls).toBe(1);
});

test.each(['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded'])(
  'a transaction that was cancelled for %s is tried again after a pause',
  async (code) => {
    expect(await against(cancelled('None', code))).toEqual({ result: { ok: true }, pauses: [1], calls: 2 });
  },
);

test('a reason that does not pass is thrown at once', async () => {
  const { result, calls } = await against(cancelled('ValidationError'));
  expect(result).toBeInstanceOf(TransactionCanceledException);
  expect(calls).toBe(1);
});

test('anything else is thrown at once', async () => {
  expect(await against(new Error('no network'))).toMatchObject({ result: { message: 'no network' }, calls: 1 });
});
