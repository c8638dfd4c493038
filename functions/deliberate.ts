/** Decides deferred messages with time for slow answers, and answers dead letters of proposals. */
import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { MAX_RECEIPTS } from '../shared/config/schema/defaults.ts';
import { systemClock } from '../shared/ports/clock.ts';
import type { DeferredMessage, HandedOver } from '../shared/ports/stores/outbox.ts';
import { continueWithModel } from '../shared/use-cases/approvals/resolution/continue-with-model.ts';
import { recordDeadLetter } from '../shared/use-cases/intake/dead-letter.ts';
import { deliberateFairly } from '../shared/use-cases/intake/deliberate-fairly.ts';
import type { IntakeDependencies } from '../shared/use-cases/intake/dependencies.ts';
import { answerDeadLetter } from '../shared/use-cases/intake/evaluation/answer-dead-letter.ts';
import type { Incoming } from '../shared/use-cases/intake/message.ts';
import { renew } from '../shared/use-cases/intake/resend.ts';
import { fromOutside } from '../shared/use-cases/port-faults.ts';
import { readEnv } from './runtime/env.ts';
import { lazy } from './runtime/lazy.ts';
import { askingOf } from './runtime/models/asking.ts';
import { modelOf } from './runtime/models/model.ts';
import { policyModels } from './runtime/models/policy-models.ts';
import { taskClassifierOf } from './runtime/models/task-model.ts';
import { answerDeadLetters } from './runtime/queues/dead-letters.ts';
import { lazyDeferred } from './runtime/queues/lazy-queues.ts';
import { resendUnworked } from './runtime/queues/unwired.ts';
import { workBatch } from './runtime/queues/work-batch.ts';
import { aboutMessage } from './runtime/telemetry/message-in-work.ts';
import { logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { proposalDependencies } from './runtime/wiring/decide-proposals.ts';
import { guardrailPartsOf } from './runtime/wiring/guardrail-parts.ts';
import { hooksOf } from './runtime/wiring/hooks.ts';
import { resolveDependencies } from './runtime/wiring/resolve-approvals.ts';

const env = readEnv('deliberate');
const slots = lazy(() => guardrailPartsOf(env.STATE_TABLE).state.slots);
const anew = { deferred: lazyDeferred(env.DEFERRED_QUEUE_URL), clock: systemClock };

const wired = (): Promise<IntakeDependencies> =>
  proposalDependencies(env, ({ policy, clock }) => ({
    model: modelOf(policy, env.LLM_BASE_URL),
    models: policyModels(policy, env.LLM_BASE_URL),
    hooks: hooksOf(policy, clock),
    asking: askingOf(env.STATE_TABLE, clock),
    taskClassifier: taskClassifierOf(policy, env.LLM_BASE_URL),
  }));

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async (event, context) => {
  const { dead = [], live = [] } = Object.groupBy(event.Records, ({ eventSourceARN }) =>
    deadLetterQueueOf(eventSourceARN) ? 'dead' : 'live',
  );
  if (dead.length) return answerDead(dead, await wired());
  const messages = live.map(({ messageId, body, attributes, eventSourceARN }) => {
    // Only the gate's own functions may send to the deferred queue, so only there may a wrapper say who sent.
    if (eventSourceARN !== env.DEFERRED_QUEUE_ARN)
      throw new Error('a message came from another queue than the deferred one');
    const content = JSON.parse(body) as DeferredMessage | HandedOver;
    return { content, failureId: messageId, receiveCount: Number(attributes.ApproximateReceiveCount) };
  });
  const batch = messages.flatMap(({ content, ...delivery }) =>
    'handedOver' in content ? [] : [{ ...content, ...delivery, isDeferred: true as const }],
  );
  let deps: IntakeDependencies;
  try {
    deps = await fromOutside(wired);
  } catch (fault) {
    const { batchItemFailures } = await resendUnworked(batch, fault, anew);
    const handedOver = messages.filter(({ content }) => 'handedOver' in content);
    return {
      batchItemFailures: [
        ...batchItemFailures,
        ...handedOver.map(({ failureId: itemIdentifier }) => ({ itemIdentifier })),
      ],
    };
  }
  const failures: SQSBatchItemFailure[] = [];
  for (const { content, failureId } of messages) {
    if (!('handedOver' in content)) continue;
    try {
      const { model, models, hooks, asking, workflow } = deps;
      const resolving = { ...(await resolveDependencies(env)), model, models, hooks, asking, workflow };
      const { handedOver: pid } = content;
      await aboutMessage({ pid, messageId: failureId }, () => continueWithModel(pid, resolving));
    } catch (error) {
      logFault('an approval could not be carried on', error, { pid: content.handedOver, messageId: failureId });
      failures.push({ itemIdentifier: failureId });
    }
  }
  for (const message of batch) {
    try {
      const work = () => deliberateFairly(message, deps, slots(), () => workBatch([message], deps, context));
      const worked = await aboutMessage({ messageId: message.messageId }, work);
      failures.push(...(worked?.batchItemFailures ?? []));
    } catch (error) {
      logFault('the share of an agent could not be taken', error, { messageId: message.messageId });
      const isSentAnew = await renew(message, message, error, deps);
      if (!isSentAnew) failures.push({ itemIdentifier: message.failureId });
    }
  }
  return { batchItemFailures: failures };
});

function deadLetterQueueOf(queueArn: string): 'Proposals' | 'Deferred' | undefined {
  if (queueArn === env.PROPOSALS_DEAD_ARN) return 'Proposals';
  return queueArn === env.DEFERRED_DEAD_ARN ? 'Deferred' : undefined;
}

/** One event has the messages of one queue. */
async function answerDead(records: readonly SQSRecord[], deps: IntakeDependencies): Promise<SQSBatchResponse> {
  const queue = deadLetterQueueOf(records[0]?.eventSourceARN ?? '') ?? 'Proposals';
  const source = { queue, receiptsBefore: MAX_RECEIPTS, neighbourUrl: env.DEFERRED_QUEUE_URL };
  const batchItemFailures = await answerDeadLetters(records, source, async (record, tries) => {
    const message = queue === 'Proposals' ? asReceived(record) : unwrapped(record);
    // The row of an approval is looked after by `reconcile`.
    if (message === 'approval') return;
    if (message) await answerDeadLetter(message, tries, deps);
    else await recordDeadLetter({ messageId: record.messageId, fault: 'unreadable wrapper' }, deps);
  });
  return { batchItemFailures };
}

function asReceived({ messageId, body, attributes }: SQSRecord): Incoming {
  const { SenderId: principal, SentTimestamp, MessageGroupId: groupId } = attributes;
  return { messageId, raw: body, principal, groupId, firstSentAt: Number(SentTimestamp), rounds: 0 };
}

/** Unwraps a deferred message. Undefined where nobody can tell whose message it was. */
function unwrapped({ body }: SQSRecord): Incoming | 'approval' | undefined {
  try {
    const wrapper = JSON.parse(body) as DeferredMessage | HandedOver;
    if ('handedOver' in wrapper) return 'approval';
    return typeof wrapper.principal === 'string' && typeof wrapper.raw === 'string' ? wrapper : undefined;
  } catch {
    return undefined;
  }
}
