/** Posts and updates cards, one message at a time, from the row as it is then. */
import { ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { DynamoRateLimits } from '../shared/adapters/dynamodb/guardrails/rate-limits.ts';
import { dynamoVoteHistory } from '../shared/adapters/dynamodb/vote-history.ts';
import { type Delivered, deliver } from '../shared/adapters/slack/deliver.ts';
import type { Drawing } from '../shared/adapters/slack/draw.ts';
import { slackPoster } from '../shared/adapters/slack/poster.ts';
import { type SlackOutMessage, sqsCardQueue } from '../shared/adapters/sqs/outbox.ts';
import { sha256Hex } from '../shared/domain/digest.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { audienceOf } from '../shared/use-cases/approvals/audience.ts';
import { dynamo, sqs } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { count, logFault } from './runtime/observe.ts';
import { withTelemetry } from './runtime/observing.ts';
import { lazy } from './runtime/once.ts';
import { idsOfRecord, pidIn } from './runtime/record-ids.ts';
import { slackSecrets } from './runtime/secrets.ts';
import { traced } from './runtime/trace.ts';
import { policyNames, storesOf } from './runtime/wiring.ts';

const env = readEnv('slackOut');
const secrets = slackSecrets(env.SLACK_SECRET, systemClock);
/** Before SQS sets a message aside, which it does after a thousand receipts at most: a card waits for as long as its approval. */
const RENEW_AFTER = 900;
const MAX_PAUSE_S = 900;
const parts = lazy(() => ({
  approvals: storesOf(env).approvals,
  delegations: storesOf(env).delegations,
  history: dynamoVoteHistory(dynamo(), { state: env.STATE_TABLE }),
  clock: systemClock,
  cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
  rates: new DynamoRateLimits({ client: dynamo(), table: env.STATE_TABLE, now: systemClock.now }),
  newCards: { burst: Number(env.NEW_CARDS_BURST), perMinute: Number(env.NEW_CARDS_PER_MINUTE) },
}));

async function drawing(): Promise<Drawing> {
  const { botToken } = await secrets.get();
  const { names, people } = policyNames();
  const dependencies = { policy: people, delegations: parts().delegations, clock: systemClock };
  return {
    ...parts(),
    poster: slackPoster(botToken, env.SLACK_API_URL),
    names,
    audienceOf: (approval) => audienceOf(approval, dependencies),
  };
}

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    const message = () => JSON.parse(record.body) as SlackOutMessage;
    const received = Number(record.attributes.ApproximateReceiveCount);
    const delivered = await traced('draw-card', pidIn(record.body), () => deliver(message, received, drawing));
    if (!(await isDone(delivered, record, received))) batchItemFailures.push({ itemIdentifier: record.messageId });
  }
  return { batchItemFailures };
});

async function isDone(delivered: Delivered, record: SQSRecord, received: number): Promise<boolean> {
  switch (delivered.kind) {
    case 'done':
      count('CardsDrawn');
      return true;
    case 'refused':
      // The card cannot be shown, now or later: an alarm says so, the approval waits on in the command line.
      count('CardsRefused');
      logFault('Slack refused a card', delivered.error, { ...idsOfRecord(record), ...channelOf(record) });
      return true;
    case 'aside':
      count('CardsAside');
      // An announcement, or news for a thread, has no row that brings it again: the log alone names it.
      logFault(
        delivered.about.kind === 'card' ? 'a card was set aside' : 'a message to Slack was given up',
        delivered.error,
        { ...delivered.about, ...idsOfRecord(record), ...channelOf(record), problem: delivered.problem },
      );
      return true;
    case 'later':
      return later(delivered, record, received);
    default:
      return delivered satisfies never;
  }
}

/** Slack is busy, down or not set up: the card comes again, sooner at first, for as long as the queue keeps it. */
async function later(
  { seconds, problem, error }: Extract<Delivered, { kind: 'later' }>,
  record: SQSRecord,
  received: number,
): Promise<boolean> {
  count('CardsDelayed');
  // Somebody has to mend the channel or the token: an alarm of its own each, and the row says which.
  if (problem) count('CardsBlocked', 1, { problem });
  const ids = { ...idsOfRecord(record), ...channelOf(record) };
  logFault('a card could not be drawn', error, { ...ids, ...(problem ? { problem } : {}) }, 'warn');
  try {
    if (received >= RENEW_AFTER) {
      await renew(record);
      return true;
    }
    await sqs().send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: env.CARD_QUEUE_URL,
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: Math.min(MAX_PAUSE_S, Math.ceil(seconds)),
      }),
    );
  } catch (fault) {
    // The message comes again after the queue's own time.
    logFault('a card could not be put back', fault, ids, 'warn');
  }
  return false;
}

/** A copy at the end of its line, with receipts of its own. */
async function renew({ body, messageId, attributes }: SQSRecord): Promise<void> {
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: env.CARD_QUEUE_URL,
      MessageBody: body,
      MessageGroupId: attributes.MessageGroupId ?? messageId,
      MessageDeduplicationId: sha256Hex(`${messageId}#renewed`),
    }),
  );
}

/** The channel of a card that is drawn in one channel only. */
function channelOf({ body }: SQSRecord): { readonly channel?: string } {
  const channel = /"(?:only|channel)":"([CGD][A-Z0-9]{2,20})"/.exec(body)?.[1];
  return channel === undefined ? {} : { channel };
}
