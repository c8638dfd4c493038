/** Sends what an operator tells the gate (A5). Who the operator is, the queue itself says. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Operation } from '../../contract/operation.ts';

export async function sendOperation(client: SQSClient, queueUrl: string, operation: Operation): Promise<void> {
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(operation) }));
}
