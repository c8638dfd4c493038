/** Sends operations of operators, and requests of people in Slack. The queue itself states the sender. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { AskedInSlack, Operation } from '../../contract/operation.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';

/**
 * The message attribute with the time of the first sending. A move out of the dead-letter queue gives a message a new time of the queue, and
 * leaves its attributes alone.
 */
export const STATED_TIME = 'sentAt';

export async function sendOperation(
  client: SQSClient,
  queueUrl: string,
  operation: Operation | AskedInSlack,
  clock: Clock = systemClock,
): Promise<void> {
  await client.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify(operation),
      MessageAttributes: { [STATED_TIME]: { DataType: 'Number', StringValue: String(clock.now()) } },
    }),
  );
}

/** Milliseconds since 1970; undefined where the sender stated none. A time that is no time is that of 1970: the operation loosens nothing. */
export function statedTimeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Number(text);
  return Number.isFinite(time) && time >= 0 ? time : 0;
}
