/** Sends to the gate's queues: cards, announcements, deferred messages. */
import { GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { MAX_DELAY_S } from '../../config/schema/defaults.ts';
import { roleOf } from '../../domain/aws/sender.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { type CarriedMessage, carriedBody } from '../../ports/carried-message.ts';
import { type CardQueue, type DeferredQueue, type HandedOver, lineOf, listLineOf } from '../../ports/stores/outbox.ts';
import { sendTogether } from './send-together.ts';
import type { SlackOutMessage } from './slack-out-message.ts';

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
    async refresh(pid, channel, revision, line) {
      const id = `${pid}#${revision}${line ? `#${line.only}` : ''}`;
      await send({ kind: 'card', pid, only: line?.only, anew: line?.anew }, lineOf(channel, line), id);
    },
    async ran(pid, channel, ran, agent) {
      const line = lineOf(channel, { agent, only: 'update' });
      await send({ kind: 'ran', pid, ran, channel }, line, `${pid}#ran-${ran.permitId}#${channel}`);
    },
    async direct(pid, person, key) {
      await send({ kind: 'direct', pid, person, key }, `direct#${person.user}`, `${pid}#direct-${key}-${person.user}`);
    },
    async list(id, channel, agent, revision, anew) {
      await send({ kind: 'list', id, anew }, listLineOf(channel, agent), `list#${id}#${revision}`);
    },
    async home(person, at) {
      const line = `home#${person.team}/${person.user}`;
      await send({ kind: 'home', person, at }, line, `${line}#${at}`);
    },
    async announce(channel, text, id, unknownOf) {
      await send({ kind: 'announcement', channel, text, unknownOf }, channel, `announcement#${id}`);
    },
    async isIdle() {
      const { Attributes: counts = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...WAITING] }),
      );
      return WAITING.every((name) => Number(counts[name] ?? 0) === 0);
    },
  };
}

const WAITING = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Sends one text to the queue that is named with it. */
export const sqsSendText = (client: SQSClient) => async (queueUrl: string, text: string) => {
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: text }));
};

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

/** Sends execution requests anew; only the functions of the gate are believed to carry them. */
export function sqsRunQueue(client: SQSClient, queueUrl: string) {
  const send = sendTogether(client, queueUrl);
  return {
    carry: (message: CarriedMessage, agent: string, delaySeconds: number) =>
      send(carriedBody(message), agent, Math.min(MAX_DELAY_S, Math.max(0, Math.ceil(delaySeconds)))),
  };
}
