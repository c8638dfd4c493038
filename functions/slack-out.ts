/** Posts and updates cards, one message at a time, from the row as it is then. */
import { ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Delivered, deliver } from '../shared/adapters/slack/posting/deliver.ts';
import type { SlackOutMessage } from '../shared/adapters/sqs/slack-out-message.ts';
import { sha256Hex } from '../shared/domain/digest.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { slackToken } from './runtime/clients/slack-secrets.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { idsOfRecord, pidIn } from './runtime/queues/record-ids.ts';
import { count, logFault } from './runtime/telemetry/observe.ts';
import { traced } from './runtime/telemetry/trace.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { drawingOf } from './slack/card-dependencies.ts';

const env = readEnv('slackOut');
const secrets = slackToken(env.SLACK_SECRET, systemClock);
/** Before SQS sets a message aside, which it does after a thousand receipts at most: a card waits for as long as its approval. */
const RENEW_AFTER = 900;
const MAX_PAUSE_S = 900;
const drawing = drawingOf(env, secrets);

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    const message = () => JSON.parse(record.body) as SlackOutMessage;
    const received = Number(record.attributes.ApproximateReceiveCount);
    const token = await tokenOf();
    const delivered = await traced('draw-card', pidIn(record.body), () => deliver(message, received, drawing));
    if (!(await isDone(delivered, record, { received, token })))
      batchItemFailures.push({ itemIdentifier: record.messageId });
  }
  return { batchItemFailures };
});

/** Undefined where the secret cannot be read. */
const tokenOf = (): Promise<string | undefined> =>
  secrets.get().then(
    ({ botToken }) => botToken,
    () => undefined,
  );

/** `token`: the one that Slack was asked with. */
interface Tried {
  readonly received: number;
  readonly token: string | undefined;
}

async function isDone(delivered: Delivered, record: SQSRecord, tried: Tried): Promise<boolean> {
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
        delivered.about.kind === 'card' || delivered.about.kind === 'list'
          ? 'a card was set aside'
          : 'a message to Slack was given up',
        delivered.error,
        { ...delivered.about, ...idsOfRecord(record), ...channelOf(record), problem: delivered.problem },
      );
      return true;
    case 'later':
      return later(delivered, record, tried);
    default:
      return delivered satisfies never;
  }
}

/** Delays a card while Slack is busy, down or not set up: briefly at first, and until the queue drops it. */
async function later(
  { seconds, problem, error }: Extract<Delivered, { kind: 'later' }>,
  record: SQSRecord,
  { received, token }: Tried,
): Promise<boolean> {
  count('CardsDelayed');
  // Somebody has to repair the channel or the token: each has its own alarm, and the row names the problem.
  if (problem) count('CardsBlocked', 1, { problem });
  const ids = { ...idsOfRecord(record), ...channelOf(record) };
  logFault('a card could not be drawn', error, { ...ids, ...(problem ? { problem } : {}) }, 'warn');
  // Somebody has rotated the token: the next try has the new one.
  const pause = problem === 'token_refused' && (await tokenOf()) !== token ? 0 : seconds;
  try {
    if (received >= RENEW_AFTER) {
      await renew(record);
      return true;
    }
    await sqs().send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: env.CARD_QUEUE_URL,
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: Math.min(MAX_PAUSE_S, Math.ceil(pause)),
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
