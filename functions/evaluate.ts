/** Decides the messages of the proposals queue: the fast path. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { systemClock } from '../shared/ports/clock.ts';
import { fromOutside } from '../shared/use-cases/port-faults.ts';
import { readEnv } from './runtime/env.ts';
import { lazyDeferred } from './runtime/queues/lazy-queues.ts';
import { shortenVisibility } from './runtime/queues/visibility.ts';
import { workBatch } from './runtime/queues/work-batch.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { proposalDependencies } from './runtime/wiring/decide-proposals.ts';

const env = readEnv('evaluate');
const anew = { deferred: lazyDeferred(env.DEFERRED_QUEUE_URL), clock: systemClock };

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>((event, context) => {
  const batch = event.Records.map(({ messageId, receiptHandle, eventSourceARN, body, attributes }) => ({
    messageId,
    receiptHandle,
    queueArn: eventSourceARN,
    raw: body,
    principal: attributes.SenderId,
    groupId: attributes.MessageGroupId,
    firstSentAt: Number(attributes.SentTimestamp),
    rounds: 0,
    receiveCount: Number(attributes.ApproximateReceiveCount),
  }));
  const deps = fromOutside(() => proposalDependencies(env));
  return workBatch(batch, deps, context, shortenVisibility(env.DEFERRED_QUEUE_URL), anew);
});
