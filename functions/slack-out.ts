/** Posts and updates cards, one message at a time, from the row as it is then (A22). */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { drawCard } from '../shared/adapters/slack/draw.ts';
import { SlackBusyError, slackPoster } from '../shared/adapters/slack/poster.ts';
import type { SlackOutMessage } from '../shared/adapters/sqs/outbox.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { sqs } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { count, faultName, logger, publishMetrics } from './runtime/observe.ts';
import { once } from './runtime/once.ts';
import { slackSecrets } from './runtime/secrets.ts';
import { traced } from './runtime/trace.ts';
import { storesOf } from './runtime/wiring.ts';

const env = readEnv('slackOut');
const secrets = slackSecrets(env.SLACK_SECRET, systemClock);
const stores = once(() => storesOf(env));

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await deliver(JSON.parse(record.body) as SlackOutMessage);
      count('CardsDrawn');
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
      count('CardsDelayed');
      logger.warn('a card could not be drawn', { fault: faultName(error) });
      if (error instanceof SlackBusyError) await waitFor(record, error.retryAfterSeconds);
    }
  }
  publishMetrics();
  return { batchItemFailures };
}

async function deliver(message: SlackOutMessage): Promise<void> {
  const { botToken } = await secrets.get();
  const poster = slackPoster(botToken, env.SLACK_API_URL);
  if (message.kind === 'announcement') return poster.say(message.channel, message.text);
  const drawing = { approvals: stores().approvals, poster, clock: systemClock };
  await traced('draw-card', message.pid, () => drawCard(message.pid, drawing));
}

/** Slack's Retry-After becomes the message's delay (A22). */
async function waitFor({ receiptHandle }: SQSRecord, seconds: number): Promise<void> {
  const change = {
    QueueUrl: env.CARD_QUEUE_URL,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: Math.min(900, Math.ceil(seconds)),
  };
  await sqs().send(new ChangeMessageVisibilityCommand(change));
}
