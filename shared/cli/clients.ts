/** AWS clients of the commands: loaded by those that need them. `AWS_ENDPOINT_URL` and the profile are read by the SDK itself. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';

const retries = { maxAttempts: 3 };

export async function dynamo(): Promise<DynamoDBClient> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  return new DynamoDBClient(retries);
}

export async function sqs(): Promise<SQSClient> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  return new SQSClient(retries);
}
