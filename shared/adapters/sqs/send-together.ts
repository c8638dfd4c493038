/** Sends messages of the same turn in one request: a flood of deferred messages costs a tenth as many. */
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';

interface Waiting {
  readonly body: string;
  readonly group: string;
  readonly delaySeconds: number;
  readonly sent: () => void;
  readonly failed: (reason: unknown) => void;
}

/** SQS's limits of one request; a message that is longer alone is for SQS to judge. */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024;

/**
 * The returned function rejects for exactly those messages that the queue did not take. `group`: a standard queue serves groups by turns, so
 * that a flood of one waits behind itself.
 */
export function sendTogether(
  client: SQSClient,
  queueUrl: string,
): (body: string, group: string, delaySeconds: number) => Promise<void> {
  let waiting: Waiting[] = [];
  const flush = () => {
    const all = waiting;
    waiting = [];
    for (const batch of batchesOf(all)) void sendBatch(client, queueUrl, batch);
  };
  return (body, group, delaySeconds) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (!waiting.length) queueMicrotask(flush);
    waiting.push({ body, group, delaySeconds, sent: resolve, failed: reject });
    return promise;
  };
}

function batchesOf(all: readonly Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  let bytes = 0;
  for (const one of all) {
    const size = Buffer.byteLength(one.body);
    const last = batches.at(-1);
    if (last && last.length < MAX_ENTRIES && bytes + size <= MAX_BYTES) {
      last.push(one);
      bytes += size;
    } else {
      batches.push([one]);
      bytes = size;
    }
  }
  return batches;
}

/** Resolves or rejects every message of the batch, and never rejects itself. */
async function sendBatch(client: SQSClient, queueUrl: string, batch: readonly Waiting[]): Promise<void> {
  const Entries = batch.map(({ body, group, delaySeconds }, index) => ({
    Id: String(index),
    MessageBody: body,
    MessageGroupId: group,
    // Without a delay of its own a message has that of the queue, by which an operator may slow it.
    DelaySeconds: delaySeconds || undefined,
  }));
  try {
    const { Successful = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    const taken = new Set(Successful.map(({ Id }) => Id));
    for (const [index, one] of batch.entries()) {
      if (taken.has(String(index))) one.sent();
      else one.failed(new Error('the queue did not take the message'));
    }
  } catch (error) {
    for (const one of batch) one.failed(error);
  }
}
