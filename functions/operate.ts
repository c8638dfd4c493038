/** Performs operations from the operators' queue, and answers its dead letters. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { STATED_TIME, statedTimeOf } from '../shared/adapters/sqs/operators-queue.ts';
import { sqsCardQueue } from '../shared/adapters/sqs/outbox.ts';
import { sqsWebhookQueue } from '../shared/adapters/sqs/webhook-queue.ts';
import { MAX_RECEIPTS_OF_SENDERS } from '../shared/config/schema/defaults.ts';
import type { DeadLetters } from '../shared/ports/dead-letters.ts';
import { NO_DIRECTORY } from '../shared/ports/people.ts';
import { refuseDeadLetter } from '../shared/use-cases/operations/answer-dead-letter.ts';
import type { OperatorMessage } from '../shared/use-cases/operations/dependencies.ts';
import { performOperation } from '../shared/use-cases/operations/perform-operation.ts';
import { lambda } from './runtime/clients/aws.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { answerDeadLetters } from './runtime/queues/dead-letters.ts';
import { receivedMessage } from './runtime/queues/received-message.ts';
import { idsOfRecord } from './runtime/queues/record-ids.ts';
import { count, logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { accountsAllowed } from './runtime/wiring/accounts-allowed.ts';
import { baseOf } from './runtime/wiring/base.ts';
import { lazyResumer } from './runtime/wiring/lazy-resumer.ts';
import { registeredSenders, type Senders } from './runtime/wiring/senders.ts';
import { storesOf } from './runtime/wiring/stores.ts';

const env = readEnv('operate');
/** Lambda's client is loaded with the first operation that brings dead letters back. */
const deadLetters: DeadLetters = {
  async redrive(queue, limit) {
    const { lambdaDeadLetters } = await import('../shared/adapters/lambda/dead-letters.ts');
    return lambdaDeadLetters(await lambda(), env.REDRIVE_FUNCTION).redrive(queue, limit);
  },
};
let senders: Senders | undefined;
const DEAD_LETTERS = {
  queue: 'Operators',
  receiptsBefore: MAX_RECEIPTS_OF_SENDERS,
  neighbourUrl: env.OPERATORS_QUEUE_URL,
};

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const base = await baseOf(env);
  senders ??= registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  const deps = {
    ...base,
    ...storesOf(env),
    operators: senders.operators,
    slackRoleId: env.SLACK_ROLE_ID,
    accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED),
    resumer: lazyResumer(env.RESUME_FUNCTION),
    people: NO_DIRECTORY,
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
    webhooks: sqsWebhookQueue(sqs(), env.WEBHOOK_QUEUE_URL, env.DEPLOYMENT),
    deadLetters,
  };
  if (Records.some(({ eventSourceARN }) => eventSourceARN === env.OPERATORS_DEAD_ARN)) {
    const batchItemFailures = await answerDeadLetters(Records, DEAD_LETTERS, (record, tries) =>
      refuseDeadLetter(messageOf(record), tries, deps),
    );
    return { batchItemFailures };
  }
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await performOperation(messageOf(record), deps);
      count('OperationsDone');
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
      logFault('an operation could not be done', error, idsOfRecord(record));
    }
  }
  return { batchItemFailures };
});

/** SQS's own word on the sender, also of a message that was set aside: nobody carries an operator's words. */
function messageOf(record: SQSRecord): OperatorMessage {
  const { firstSentAt: sentAt, ...message } = receivedMessage(record);
  return { ...message, sentAt, statedAt: statedTimeOf(record.messageAttributes[STATED_TIME]?.stringValue) };
}
