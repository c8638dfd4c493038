/** Decides the messages of the proposals queue: the fast path. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { readEnv } from './runtime/env.ts';
import { shortenVisibility } from './runtime/queues/visibility.ts';
import { workBatch } from './runtime/queues/work-batch.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { proposalDependencies } from './runtime/wiring/decide-proposals.ts';

const env = readEnv('evaluate');

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
  return workBatch(batch, proposalDependencies(env), context, shortenVisibility(env.DEFERRED_QUEUE_URL));
});
