/** Queues that the gate sends to: cards, announcements, replies, deferred messages. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { roleOf } from '../../domain/sender.ts';
import type { CardQueue, DeferredQueue, HandedOver, Ran, ReplySender } from '../../ports/outbox.ts';
import { sendTogether } from './send-together.ts';

/** One message of the slack-out queue. */
export type SlackOutMessage =
  | { readonly kind: 'card'; readonly pid: string }
  | { readonly kind: 'ran'; readonly pid: string; readonly ran: Ran }
  | { readonly kind: 'announcement'; readonly channel: string; readonly text: string };

/** FIFO: a channel is a group, so that Slack's limit per channel is kept by the queue itself; the revision deduplicates (A22). */
export function sqsCardQueue(client: SQSClient, queueUrl: string): CardQueue {
  const send = (message: SlackOutMessage, channel: string, id: string) =>
    client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(message),
        MessageGroupId: channel,
        MessageDeduplicationId: sha256Hex(id),
      }),
    );
  return {
    async refresh(pid, channel, revision) {
      await send({ kind: 'card', pid }, channel, `${pid}#${revision}`);
    },
    async ran(pid, channel, ran) {
      await send({ kind: 'ran', pid, ran }, channel, `${pid}#ran-${ran.permitId}`);
    },
    async announce(channel, text, id) {
      await send({ kind: 'announcement', channel, text }, channel, `announcement#${id}`);
    },
  };
}

/** Sends to the queue that an agent registered, if it did (A13). */
export function sqsReplySender(
  client: SQSClient,
  queueOf: (agent: string) => Promise<string | undefined>,
): ReplySender {
  return {
    async send(agent, decision) {
      const queueUrl = await queueOf(agent);
      if (queueUrl)
        await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: canonicalJson(decision) }));
    },
  };
}

/** SQS delays a message by at most 15 minutes. */
const MAX_DELAY_S = 900;

export function sqsDeferredQueue(client: SQSClient, queueUrl: string): DeferredQueue {
  const send = sendTogether(client, queueUrl);
  return {
    handOver: (pid) => send(JSON.stringify({ handedOver: pid } satisfies HandedOver), pid, 0),
    defer: (message, delaySeconds) =>
      send(
        JSON.stringify(message),
        roleOf(message.principal),
        Math.min(MAX_DELAY_S, Math.max(0, Math.ceil(delaySeconds))),
      ),
  };
}
