/** Brings messages back that were set aside, as they were. */
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { RedriveAnswer } from '../../contract/redrive.ts';
import { sha256Hex } from '../../domain/digest.ts';

interface Redrive {
  readonly deadUrl: string;
  /** The queue that set them aside. */
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

/**
 * Moves dead letters until none is left, `limit` is reached or the time is over. A message is deleted only after its copy was taken; one that
 * the queue does not take stays, and holds up no other.
 */
export async function redrive(client: SQSClient, given: Redrive): Promise<RedriveAnswer> {
  const { deadUrl, targetUrl, limit, isOver } = given;
  const left = new Set<string>();
  let moved = 0;
  while (moved + left.size < limit && !isOver()) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: deadUrl,
        MaxNumberOfMessages: Math.min(10, limit - moved - left.size),
        WaitTimeSeconds: 2,
        VisibilityTimeout: HELD_S,
        MessageSystemAttributeNames: ['MessageGroupId'],
        MessageAttributeNames: ['All'],
      }),
    );
    const fresh = messages.filter(({ MessageId: id = '' }) => !left.has(id));
    if (!fresh.length) break;
    for (const batch of batchesOf(fresh)) {
      const taken = await move(client, batch, { deadUrl, targetUrl });
      moved += taken.length;
      for (const message of batch) if (!taken.includes(message)) left.add(message.MessageId ?? '');
    }
  }
  return { moved, left: [...left] };
}

function batchesOf(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = [];
  let bytes = 0;
  for (const one of messages) {
    const size = Buffer.byteLength(one.Body ?? '') + Buffer.byteLength(JSON.stringify(one.MessageAttributes ?? {}));
    const last = batches.at(-1);
    if (last && bytes + size <= MAX_BATCH_BYTES) last.push(one);
    else batches.push([one]);
    bytes = batches.at(-1)?.length === 1 ? size : bytes + size;
  }
  return batches;
}

/** The messages that were moved. */
async function move(
  client: SQSClient,
  batch: readonly Message[],
  { deadUrl, targetUrl }: { readonly deadUrl: string; readonly targetUrl: string },
): Promise<readonly Message[]> {
  const isFifo = targetUrl.endsWith('.fifo');
  const Entries = batch.map((message, index): SendMessageBatchRequestEntry => {
    const group = message.Attributes?.MessageGroupId;
    return {
      Id: String(index),
      MessageBody: message.Body,
      ...(message.MessageAttributes ? { MessageAttributes: message.MessageAttributes } : {}),
      ...(group || isFifo ? { MessageGroupId: group ?? 'redrive' } : {}),
      // An interrupted run that is repeated at once sends nothing twice.
      ...(isFifo ? { MessageDeduplicationId: sha256Hex(`redrive#${message.MessageId}`) } : {}),
    };
  });
  const { Successful = [] } = await client
    .send(new SendMessageBatchCommand({ QueueUrl: targetUrl, Entries }))
    .catch((error: unknown) => {
      if (isTooLong(error)) return { Successful: [] };
      throw error;
    });
  const taken = Successful.flatMap(({ Id }) => batch[Number(Id)] ?? []);
  if (!taken.length) return [];
  const done = taken.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: deadUrl, Entries: done }));
  return taken;
}

/** Says something of these messages, and nothing of the queue. */
const isTooLong = (error: unknown): boolean => error instanceof Error && error.name.endsWith('BatchRequestTooLong');
