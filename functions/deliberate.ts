/** Decides what was put aside: the same code as `evaluate`, one message at a time, with time for slow answers (A11, A12). */
import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { carryOn } from '../shared/pipeline/carry-on.ts';
import type { DeferredMessage, HandedOver } from '../shared/ports/outbox.ts';
import { askingOf } from './runtime/asking.ts';
import { readEnv } from './runtime/env.ts';
import { finishGate } from './runtime/finish.ts';
import { hooksOf } from './runtime/hooks.ts';
import { proposalGate, workBatch } from './runtime/intake.ts';
import { modelOf } from './runtime/model.ts';
import { faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { policyModels } from './runtime/policy-models.ts';
import { taskClassifierOf } from './runtime/task-model.ts';

const env = readEnv('deliberate');

export const handler = observing<SQSEvent, SQSBatchResponse>(async (event, context) => {
  const gate = await proposalGate(env, ({ policy, clock }) => ({
    model: modelOf(policy, env.LLM_BASE_URL),
    models: policyModels(policy, env.LLM_BASE_URL),
    hooks: hooksOf(policy, clock),
    asking: askingOf(env.STATE_TABLE, clock),
    taskClassifier: taskClassifierOf(policy, env.LLM_BASE_URL),
  }));
  const messages = event.Records.map(({ messageId, body, attributes, eventSourceARN }) => {
    // Only the gate's own functions may send to the deferred queue, so only there may a wrapper say who sent (A12).
    if (eventSourceARN !== env.DEFERRED_QUEUE_ARN)
      throw new Error('a message came from another queue than the deferred one');
    const said = JSON.parse(body) as DeferredMessage | HandedOver;
    return { said, failureId: messageId, receiveCount: Number(attributes.ApproximateReceiveCount) };
  });
  const failures: SQSBatchItemFailure[] = [];
  for (const { said, failureId } of messages) {
    if (!('handedOver' in said)) continue;
    try {
      const { model, models, hooks, asking, workflow } = gate;
      await carryOn(said.handedOver, { ...(await finishGate(env)), model, models, hooks, asking, workflow });
    } catch (error) {
      logger.error('an approval could not be carried on', { fault: faultName(error), messageId: failureId });
      failures.push({ itemIdentifier: failureId });
    }
  }
  const batch = messages.flatMap(({ said, ...delivery }) => ('handedOver' in said ? [] : [{ ...said, ...delivery }]));
  const { batchItemFailures } = await workBatch(batch, gate, context);
  return { batchItemFailures: [...batchItemFailures, ...failures] };
});
