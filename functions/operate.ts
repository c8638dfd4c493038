/** Does what operators say through their queue. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { STATED_TIME, statedTimeOf } from '../shared/adapters/sqs/operators-queue.ts';
import { sqsCardQueue } from '../shared/adapters/sqs/outbox.ts';
import { NO_DIRECTORY } from '../shared/ports/people.ts';
import { operate } from '../shared/use-cases/operations/perform-operation.ts';
import { accountsAllowed } from './runtime/accounts.ts';
import { sqs } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { count, faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { received } from './runtime/received.ts';
import { registeredSenders, type Senders } from './runtime/senders.ts';
import { baseOf, lazyWorkflow, storesOf } from './runtime/wiring.ts';

const env = readEnv('operate');
let senders: Senders | undefined;

export const handler = observing<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const base = await baseOf(env);
  senders ??= registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  const gate = {
    ...base,
    ...storesOf(env),
    operators: senders.operators,
    desk: env.SLACK_ROLE_ID,
    accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED),
    workflow: lazyWorkflow(env.STATE_MACHINE_ARN),
    people: NO_DIRECTORY,
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
  };
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      const { firstSentAt: sentAt, ...message } = received(record, env.CARRIERS);
      const statedAt = statedTimeOf(record.messageAttributes[STATED_TIME]?.stringValue);
      await operate({ ...message, sentAt, statedAt }, gate);
      count('OperationsDone');
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
      logger.error('an operation could not be done', { fault: faultName(error) });
    }
  }
  return { batchItemFailures };
});
