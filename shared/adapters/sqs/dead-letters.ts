/** Messages that could not be worked, brought back: those of `proposals` in A12's envelope, so that who sent them and when stays known. */
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeferredMessage } from '../../ports/outbox.ts';

export interface Redrive {
  /** The queue whose dead letters are meant. */
  readonly queueUrl: string;
  /** Where they go: the deferred queue. */
  readonly targetUrl: string;
  /** The body for the target; undefined: cannot be brought back, stays where it is. */
  readonly bodyOf: (message: Message) => string | undefined;
  /** At most so many. */
  readonly limit: number;
}

export interface Redriven {
  readonly moved: number;
  /** Message ids that stay where they are. */
  readonly left: readonly string[];
}

/** Long enough to send and delete a batch; what was not deleted by then is seen again, and A6 makes a copy harmless. */
const HELD_S = 60;

/** Moves dead letters until none is left or `limit` is reached. A message is deleted only after its copy is in the target queue. */
export async function redrive(client: SQSClient, { queueUrl, targetUrl, bodyOf, limit }: Redrive): Promise<Redriven> {
  const dead = await deadLetterQueueOf(client, queueUrl);
  const left = new Set<string>();
  let moved = 0;
  while (moved + left.size < limit) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: dead,
        MaxNumberOfMessages: Math.min(10, limit - moved - left.size),
        WaitTimeSeconds: 2,
        VisibilityTimeout: HELD_S,
        MessageSystemAttributeNames: ['SenderId', 'SentTimestamp'],
      }),
    );
    const fresh = messages.filter(({ MessageId: id = '' }) => !left.has(id));
    if (!fresh.length) break;
    for (const message of fresh) {
      const body = bodyOf(message);
      if (body === undefined) {
        left.add(message.MessageId ?? '');
        continue;
      }
      await client.send(new SendMessageCommand({ QueueUrl: targetUrl, MessageBody: body }));
      await client.send(new DeleteMessageCommand({ QueueUrl: dead, ReceiptHandle: message.ReceiptHandle }));
      moved += 1;
    }
  }
  return { moved, left: [...left] };
}

/** A proposal as `deliberate` takes it: the queue's own word on the sender and the time, not the message's. */
export function asDeferred(message: Message): string | undefined {
  const { Body: raw, MessageId: messageId, Attributes: attributes } = message;
  const principal = attributes?.SenderId;
  const firstSentAt = Number(attributes?.SentTimestamp);
  if (raw === undefined || messageId === undefined || !principal || !Number.isFinite(firstSentAt)) return undefined;
  return JSON.stringify({ principal, firstSentAt, messageId, rounds: 0, raw } satisfies DeferredMessage);
}

/** The queue that messages of this one end in. @throws Error if it has none. */
async function deadLetterQueueOf(client: SQSClient, queueUrl: string): Promise<string> {
  const { Attributes: attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['RedrivePolicy'] }),
  );
  const policy = JSON.parse(attributes?.RedrivePolicy ?? '{}') as { deadLetterTargetArn?: string };
  const [, , , , account, name] = policy.deadLetterTargetArn?.split(':') ?? [];
  if (!account || !name) throw new Error('the queue has no dead-letter queue');
  const { QueueUrl: url } = await client.send(
    new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account }),
  );
  if (!url) throw new Error(`the queue ${name} was not found`);
  return url;
}
