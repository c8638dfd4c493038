/** Decides the messages of the proposals queue: the fast path (A11). */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Incoming } from '../shared/pipeline/incoming.ts';
import { readEnv } from './runtime/env.ts';
import { proposalGate, workBatch } from './runtime/intake.ts';
import { observing } from './runtime/observing.ts';

const env = readEnv('evaluate');

export const handler = observing<SQSEvent, SQSBatchResponse>(async (event, context) => {
  const gate = await proposalGate(env);
  const batch = event.Records.map(({ messageId, body, attributes }): Incoming & { readonly receiveCount: number } => ({
    messageId,
    raw: body,
    principal: attributes.SenderId,
    groupId: attributes.MessageGroupId,
    firstSentAt: Number(attributes.SentTimestamp),
    rounds: 0,
    receiveCount: Number(attributes.ApproximateReceiveCount),
  }));
  return workBatch(batch, gate, context);
});
