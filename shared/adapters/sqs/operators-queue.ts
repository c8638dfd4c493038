/** Sends what an operator tells the gate, or what a person asked for in Slack (A5). Who sends it, the queue itself says. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { AskedInSlack, Operation } from '../../contract/operation.ts';

export async function sendOperation(
  client: SQSClient,
  queueUrl: string,
  operation: Operation | AskedInSlack,
): Promise<void> {
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(operation) }));
}
