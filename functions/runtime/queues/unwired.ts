/**
 * Sends messages anew that came while their function could not be put together.
 *
 * Secrets Manager may refuse the key of its digests, for instance, and such an outage may last longer than receipts do.
 */
import type { SQSBatchResponse } from 'aws-lambda';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import type { Incoming } from '../../../shared/use-cases/intake/message.ts';
import { type Delivery, isPoison, renew } from '../../../shared/use-cases/intake/resend.ts';
import { logFault } from '../telemetry/observe.ts';
import { countUnworked } from './last-receipts.ts';

/** All that it takes to send a message anew; none of it is fetched from anywhere. */
export type Anew = Pick<IntakeDependencies, 'deferred' | 'clock'>;

/** `failureId`: the queue's own id of the message, if it is not `messageId`. */
type Unworked = Incoming & Delivery & { readonly failureId?: string };

/** Names the messages that their queue has to deliver again. @throws the fault if it lies in the code: another try would meet it */
export async function resendUnworked(
  batch: readonly Unworked[],
  fault: unknown,
  anew: Anew,
): Promise<SQSBatchResponse> {
  if (isPoison(fault)) throw fault;
  const unsent = await Promise.all(
    batch.map(async (message) => {
      const { messageId, failureId = messageId, receiveCount } = message;
      const isSent = await renew(message, message, fault, anew);
      logFault('a message waits until its function can be put together', fault, { messageId, receiveCount });
      return isSent ? [] : [{ itemIdentifier: failureId }];
    }),
  );
  const batchItemFailures = unsent.flat();
  countUnworked(batch.length - batchItemFailures.length, batchItemFailures.length);
  return { batchItemFailures };
}
