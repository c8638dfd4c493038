/** Runs approved calls, one message at a time, and answers requests that their queue has set aside. */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { sqsRunQueue } from '../shared/adapters/sqs/outbox.ts';
import { MAX_RECEIPTS_OF_SENDERS } from '../shared/config/schema/defaults.ts';
import { systemClock } from '../shared/ports/clock.ts';
import type { ExecutionDependencies } from '../shared/use-cases/execution/dependencies.ts';
import { executeFairly } from '../shared/use-cases/execution/execute-fairly.ts';
import { renewRun } from '../shared/use-cases/execution/renew-run.ts';
import { refuseDeadLetter } from '../shared/use-cases/execution/unread-request.ts';
import { pauseAfter } from '../shared/use-cases/intake/resend.ts';
import { fromOutside, withMarkedFaults } from '../shared/use-cases/port-faults.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { lazy, lazyAsync } from './runtime/lazy.ts';
import { answerDeadLetters } from './runtime/queues/dead-letters.ts';
import { receivedMessage } from './runtime/queues/received-message.ts';
import { idsOfRecord } from './runtime/queues/record-ids.ts';
import { count, logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { accountsAllowed } from './runtime/wiring/accounts-allowed.ts';
import { guardedDependencies } from './runtime/wiring/guarded-runs.ts';
import { guardrailPartsOf } from './runtime/wiring/guardrail-parts.ts';
import { registeredSenders } from './runtime/wiring/senders.ts';
import { targets } from './runtime/wiring/targets.ts';

const env = readEnv('executeTool');
const shares = lazy(() =>
  withMarkedFaults({
    slots: guardrailPartsOf(env.STATE_TABLE).state.slots,
    runs: sqsRunQueue(sqs(), env.EXECUTIONS_QUEUE_URL),
  }),
);
/** Time kept back to write down what happened before the function's own time is up. */
const RESERVE_MS = 15_000;

const DEAD_LETTERS = {
  queue: 'Executions',
  receiptsBefore: MAX_RECEIPTS_OF_SENDERS,
  neighbourUrl: env.EXECUTIONS_QUEUE_URL,
};

const wired = lazyAsync(async (): Promise<ExecutionDependencies> => {
  const base = await guardedDependencies(env, targets());
  const { agents } = registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  return withMarkedFaults({ ...base, agents, accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED) });
});

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }, context) => {
  if (Records.some(({ eventSourceARN }) => eventSourceARN === env.EXECUTIONS_DEAD_ARN)) {
    const deps = await wired();
    const batchItemFailures = await answerDeadLetters(Records, DEAD_LETTERS, async (record, tries) =>
      refuseDeadLetter(requestOf(record), tries, deps),
    );
    return { batchItemFailures };
  }
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    let deps: ExecutionDependencies | undefined;
    try {
      // A fault here, as a secret that is refused, pauses the message like any other: its queue would hide it for longer than a permit lasts.
      deps = await fromOutside(wired);
      const deadlineAt = deps.clock.now() + context.getRemainingTimeInMillis() - RESERVE_MS;
      await executeFairly({ ...requestOf(record), deadlineAt }, deps, shares());
      count('ExecutionsWorked');
    } catch (error) {
      logFault('an execution could not be processed', error, idsOfRecord(record));
      if (!(await isDropped(record, error, deps))) batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
});

const requestOf = (record: SQSRecord) => receivedMessage(record, env.CARRIER);

/** True: it is answered, or sent anew. False: it comes again after a pause; if that cannot be set, after the queue's own time. */
async function isDropped(record: SQSRecord, error: unknown, deps: ExecutionDependencies | undefined): Promise<boolean> {
  const { messageId, receiptHandle, attributes } = record;
  const received = Number(attributes.ApproximateReceiveCount);
  const seconds = pauseAfter(error, messageId, received);
  try {
    if (await renewRun(requestOf(record), received, error, shares().runs, systemClock.now())) return true;
    if (seconds === undefined) {
      if (!deps) return false;
      await refuseDeadLetter(requestOf(record), 1, deps);
      count('DeadLettersAnswered', 1, { queue: DEAD_LETTERS.queue });
      return true;
    }
    const change = { QueueUrl: env.EXECUTIONS_QUEUE_URL, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
    await sqs().send(new ChangeMessageVisibilityCommand(change));
  } catch (fault) {
    logFault('an execution waits for as long as its queue hides it', fault, idsOfRecord(record), 'warn');
  }
  return false;
}
