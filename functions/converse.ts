/**
 * Answers messages to the task agent in Slack, one at a time and in order; may ask a model.
 * Tells people whose message became a dead letter.
 */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { dynamoReplyStore } from '../shared/adapters/dynamodb/reply-store.ts';
import {
  channelProblemOf,
  SlackBusyError,
  SlackProblemError,
  SlackRefusedError,
} from '../shared/adapters/slack/posting/errors.ts';
import { slackSpeaker } from '../shared/adapters/slack/task-speaker.ts';
import { MAX_RECEIPTS_OF_PEOPLE } from '../shared/config/schema/defaults.ts';
import { systemClock } from '../shared/ports/clock.ts';
import type { ConversationMessage } from '../shared/ports/conversation.ts';
import { systemTimers } from '../shared/ports/timers.ts';
import { notifyDeadLetter } from '../shared/use-cases/conversation/answer-dead-letter.ts';
import { type ConversationDependencies, handleMessage } from '../shared/use-cases/conversation/handle-message.ts';
import { dynamo } from './runtime/clients/aws.ts';
import { slackToken } from './runtime/clients/slack-secrets.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { lazyAsync } from './runtime/lazy.ts';
import { shell } from './runtime/lazy-shell-parser.ts';
import { taskClassifierOf } from './runtime/models/task-model.ts';
import { answerDeadLetters } from './runtime/queues/dead-letters.ts';
import { idsOfRecord } from './runtime/queues/record-ids.ts';
import { aboutMessage } from './runtime/telemetry/message-in-work.ts';
import { count, logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { baseOf } from './runtime/wiring/base.ts';
import { storesOf } from './runtime/wiring/stores.ts';
import { lazyTaskGuard } from './runtime/wiring/task-guardrails.ts';

const env = readEnv('converse');
const secrets = slackToken(env.SLACK_SECRET, systemClock);
const DEAD_LETTERS = {
  queue: 'Talk',
  receiptsBefore: MAX_RECEIPTS_OF_PEOPLE,
  neighbourUrl: env.TALK_QUEUE_URL,
  // Slack is down or closed to the app: alarms of its own tell of that. None tells of an answer that it refuses for another reason.
  isTheirs: (error: unknown) =>
    error instanceof SlackBusyError || (error instanceof SlackProblemError && error.problem !== 'refused'),
};
/** Doubled with each try; short, because a person waits. */
const FIRST_RETRY_S = 2;

const wired = lazyAsync(async (): Promise<Omit<ConversationDependencies, 'speaker'>> => {
  const base = await baseOf(env);
  return {
    ...base,
    ...storesOf(env),
    shell,
    replies: dynamoReplyStore(dynamo(), { state: env.STATE_TABLE }),
    taskClassifier: taskClassifierOf(base.policy, env.LLM_BASE_URL),
    taskGuardrails: lazyTaskGuard(env.STATE_TABLE),
    after: systemTimers.after,
  };
});

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  if (Records.some(({ eventSourceARN }) => eventSourceARN === env.TALK_DEAD_ARN)) {
    const batchItemFailures = await answerDeadLetters(Records, DEAD_LETTERS, async ({ body }, tries) => {
      const { botToken } = await secrets.get();
      const deps = { ...(await wired()), speaker: slackSpeaker(botToken, env.SLACK_API_URL, secrets.refresh) };
      await notifyDeadLetter(body, tries, deps).catch((error: unknown) => {
        const reason = error instanceof SlackRefusedError ? error.reason : channelProblemOf(error);
        if (reason === undefined) throw error;
        count('TalkRefused', 1, { reason });
      });
    });
    return { batchItemFailures };
  }
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      const { botToken } = await secrets.get();
      const deps = { ...(await wired()), speaker: slackSpeaker(botToken, env.SLACK_API_URL, secrets.refresh) };
      const message = JSON.parse(record.body) as ConversationMessage;
      const handled = await aboutMessage(idsOfRecord(record), () => handleMessage(message, deps));
      if (handled.kind === 'answered') count('TalkAnswered');
      if (handled.kind === 'refused') count('TalkRefused', 1, { reason: handled.refusal });
    } catch (error) {
      if (error instanceof SlackRefusedError) {
        // The message was decided, so it must not block those behind it.
        count('TalkRefused', 1, { reason: error.reason });
        logFault('Slack refused a reply', error, idsOfRecord(record));
        continue;
      }
      batchItemFailures.push({ itemIdentifier: record.messageId });
      await later(record, error);
    }
  }
  return { batchItemFailures };
});

/** Delays a message while Slack or a table is busy or down; later messages of its conversation wait behind it. */
async function later(record: SQSRecord, error: unknown): Promise<void> {
  const { receiptHandle, attributes } = record;
  count('TalkDelayed');
  logFault('a message to the task agent could not be answered', error, idsOfRecord(record), 'warn');
  const seconds =
    error instanceof SlackBusyError
      ? error.retryAfterSeconds
      : FIRST_RETRY_S * 2 ** (Number(attributes.ApproximateReceiveCount) - 1);
  await sqs().send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: env.TALK_QUEUE_URL,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: Math.min(900, Math.ceil(seconds)),
    }),
  );
}
