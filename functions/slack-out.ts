/** Posts and updates cards, one message at a time, from the row as it is then (A22). */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { dynamoVoteHistory } from '../shared/adapters/dynamodb/vote-history.ts';
import { deliverToSlack } from '../shared/adapters/slack/deliver.ts';
import { SlackBusyError, SlackProblemError, SlackRefusedError } from '../shared/adapters/slack/errors.ts';
import { slackPoster } from '../shared/adapters/slack/poster.ts';
import type { SlackOutMessage } from '../shared/adapters/sqs/outbox.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { dynamo, sqs } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { count, faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { once } from './runtime/once.ts';
import { slackSecrets } from './runtime/secrets.ts';
import { traced } from './runtime/trace.ts';
import { storesOf } from './runtime/wiring.ts';

const env = readEnv('slackOut');
const secrets = slackSecrets(env.SLACK_SECRET, systemClock);
/** Between tries, doubled each time up to the longest. */
const FIRST_RETRY_S = 5;
const LONGEST_RETRY_S = 120;
const stores = once(() => storesOf(env));
const history = once(() => dynamoVoteHistory(dynamo(), { state: env.STATE_TABLE }));

export const handler = observing<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await deliver(JSON.parse(record.body) as SlackOutMessage);
      count('CardsDrawn');
    } catch (error) {
      if (error instanceof SlackRefusedError) refused(error);
      else {
        batchItemFailures.push({ itemIdentifier: record.messageId });
        await later(record, error);
      }
    }
  }
  return { batchItemFailures };
});

/** The card cannot be shown, now or later: an alarm says so, the approval waits on in the command line (A22). */
function refused({ reason }: SlackRefusedError): void {
  count('CardsRefused');
  logger.error('Slack refused a card', { reason });
}

/** Slack is busy, down or not set up: the card comes again, sooner at first, for as long as the queue keeps it (A22). */
async function later(record: SQSRecord, error: unknown): Promise<void> {
  count('CardsDelayed');
  const problem = error instanceof SlackProblemError ? error.problem : undefined;
  // Somebody has to mend the channel or the token: an alarm of its own each, and the row says which (A22).
  if (problem) count('CardsBlocked', 1, { problem });
  logger.warn('a card could not be drawn', { fault: faultName(error), ...(problem ? { problem } : {}) });
  const received = Number(record.attributes.ApproximateReceiveCount);
  const seconds = error instanceof SlackBusyError ? error.retryAfterSeconds : FIRST_RETRY_S * 2 ** (received - 1);
  await waitFor(record, error instanceof SlackBusyError ? seconds : Math.min(LONGEST_RETRY_S, seconds));
}

async function deliver(message: SlackOutMessage): Promise<void> {
  const { botToken } = await secrets.get();
  const poster = slackPoster(botToken, env.SLACK_API_URL);
  const drawing = { approvals: stores().approvals, history: history(), poster, clock: systemClock };
  const pid = 'pid' in message ? message.pid : '';
  await traced('draw-card', pid, () => deliverToSlack(message, drawing));
}

async function waitFor({ receiptHandle }: SQSRecord, seconds: number): Promise<void> {
  const change = {
    QueueUrl: env.CARD_QUEUE_URL,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: Math.min(900, Math.ceil(seconds)),
  };
  await sqs().send(new ChangeMessageVisibilityCommand(change));
}
