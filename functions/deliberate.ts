/** Decides what was put aside: the same code as `evaluate`, one message at a time, with time for slow answers (A11, A12). */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { DeferredMessage } from '../shared/ports/outbox.ts';
import { readEnv } from './runtime/env.ts';
import { hooksOf } from './runtime/hooks.ts';
import { proposalGate, workBatch } from './runtime/intake.ts';
import { modelOf } from './runtime/model.ts';
import { observing } from './runtime/observing.ts';
import { policyModels } from './runtime/policy-models.ts';
import { taskClassifierOf } from './runtime/task-model.ts';

const env = readEnv('deliberate');

export const handler = observing<SQSEvent, SQSBatchResponse>(async (event, context) => {
  const gate = await proposalGate(env, ({ policy, clock }) => ({
    model: modelOf(policy, env.LLM_BASE_URL),
    models: policyModels(policy, env.LLM_BASE_URL),
    hooks: hooksOf(policy, clock),
    taskClassifier: taskClassifierOf(policy, env.LLM_BASE_URL),
  }));
  const batch = event.Records.map(({ messageId, body, attributes, eventSourceARN }) => {
    // Only the gate's own functions may send to the deferred queue, so only there may a wrapper say who sent (A12).
    if (eventSourceARN !== env.DEFERRED_QUEUE_ARN)
      throw new Error('a message came from another queue than the deferred one');
    const { principal, firstSentAt, messageId: first, rounds, raw } = JSON.parse(body) as DeferredMessage;
    const receiveCount = Number(attributes.ApproximateReceiveCount);
    return { messageId: first, failureId: messageId, raw, principal, firstSentAt, rounds, receiveCount };
  });
  return workBatch(batch, gate, context);
});
