/** Brings messages back that were set aside, with who sent them and when. */
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { GateQueueName, RedriveAnswer } from '../../contract/redrive.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { carriedBody } from '../../ports/carried.ts';
import type { DeferredMessage } from '../../ports/outbox.ts';

export interface Redrive {
  readonly queue: GateQueueName;
  readonly deadUrl: string;
  /** Where they go: `deferred` for proposals, otherwise the queue that set them aside. */
  readonly targetUrl: string;
  /** At most so many. */
  readonly limit: number;
  /** True: no further batch is begun. */
  isOver(): boolean;
}

/** Long enough to send and delete a batch; what was not deleted by then is seen again, and a copy of any message is harmless. */
const HELD_S = 60;
/** SQS takes so much in one request. */
const MAX_BATCH_BYTES = 256 * 1024;

/** Moves dead letters until none is left, `limit` is reached or the time is over. A message is deleted only after its copy was taken. */
export async function redrive(client: SQSClient, given: Redrive): Promise<RedriveAnswer> {
  const { deadUrl, targetUrl, queue, limit, isOver } = given;
  const left = new Set<string>();
  let moved = 0;
  while (moved + left.size < limit && !isOver()) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: deadUrl,
        MaxNumberOfMessages: Math.min(10, limit - moved - left.size),
        WaitTimeSeconds: 2,
        VisibilityTimeout: HELD_S,
        MessageSystemAttributeNames: ['SenderId', 'SentTimestamp', 'MessageGroupId'],
      }),
    );
    const fresh = messages.filter(({ MessageId: id = '' }) => !left.has(id));
    if (!fresh.length) break;
    const ready: Ready[] = [];
    for (const message of fresh) {
      const body = bodyFor(queue, message);
      if (body === undefined) left.add(message.MessageId ?? '');
      else ready.push({ message, body });
    }
    for (const batch of batchesOf(ready)) moved += await move(client, batch, { deadUrl, targetUrl });
  }
  return { moved, left: [...left] };
}

interface Ready {
  readonly message: Message;
  readonly body: string;
}

function batchesOf(ready: readonly Ready[]): Ready[][] {
  const batches: Ready[][] = [];
  let bytes = 0;
  for (const one of ready) {
    const size = Buffer.byteLength(one.body);
    const last = batches.at(-1);
    if (last && bytes + size <= MAX_BATCH_BYTES) last.push(one);
    else batches.push([one]);
    bytes = batches.at(-1)?.length === 1 ? size : bytes + size;
  }
  return batches;
}

/** How many were moved: one that the target did not take stays. */
async function move(
  client: SQSClient,
  batch: readonly Ready[],
  { deadUrl, targetUrl }: { readonly deadUrl: string; readonly targetUrl: string },
): Promise<number> {
  const isFifo = targetUrl.endsWith('.fifo');
  const Entries = batch.map(({ message, body }, index): SendMessageBatchRequestEntry => {
    const group = message.Attributes?.MessageGroupId;
    return {
      Id: String(index),
      MessageBody: body,
      ...(group || isFifo ? { MessageGroupId: group ?? 'redrive' } : {}),
      // Whoever repeats an interrupted run at once sends nothing twice.
      ...(isFifo ? { MessageDeduplicationId: sha256Hex(`redrive#${message.MessageId}`) } : {}),
    };
  });
  const { Successful = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: targetUrl, Entries }));
  if (!Successful.length) throw new Error('the queue did not take the messages');
  const taken = Successful.map(({ Id }) => ({ Id, ReceiptHandle: batch[Number(Id)]?.message.ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: deadUrl, Entries: taken }));
  return taken.length;
}

/** Undefined: the sender or the time is not known, so that the message cannot be brought back. */
function bodyFor(queue: GateQueueName, message: Message): string | undefined {
  switch (queue) {
    case 'proposals':
      return asDeferred(message);
    // Only the gate's own functions send to these: each has the envelope that it needs.
    case 'deferred':
    case 'cards':
    case 'talk':
      return message.Body;
    case 'operators':
    case 'executions':
    case 'outcomes':
      return asCarried(message);
    default:
      return queue satisfies never;
  }
}

/** A proposal as `deliberate` takes it: the queue's own word on the sender and the time, not the message's. */
function asDeferred(message: Message): string | undefined {
  const sent = sentOf(message);
  if (!sent) return undefined;
  const groupId = message.Attributes?.MessageGroupId;
  return JSON.stringify({ ...sent, ...(groupId ? { groupId } : {}), rounds: 0 } satisfies DeferredMessage);
}

function asCarried(message: Message): string | undefined {
  const sent = sentOf(message);
  return sent && carriedBody(sent);
}

function sentOf({ Body: raw, MessageId: messageId, Attributes: attributes }: Message) {
  const principal = attributes?.SenderId;
  const firstSentAt = Number(attributes?.SentTimestamp);
  if (raw === undefined || messageId === undefined || !principal || !Number.isFinite(firstSentAt)) return undefined;
  return { principal, firstSentAt, messageId, raw };
}
