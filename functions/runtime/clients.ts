/** AWS clients, each created on first use and kept for the life of the process. `AWS_ENDPOINT_URL` is all that tells AWS from a local endpoint. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { once } from './once.ts';

/** Adaptive retries belong to the queue: a function tries three times, then lets the message come again. */
const retries = { maxAttempts: 3 };

export const dynamo = once(() => new DynamoDBClient(retries));
export const sqs = once(() => new SQSClient(retries));

/** Clients that not every run needs are loaded when the first one does. */
export const stepFunctions = once(async () => {
  const { SFNClient } = await import('@aws-sdk/client-sfn');
  return new SFNClient(retries);
});

export const s3 = once(async () => {
  const { S3Client } = await import('@aws-sdk/client-s3');
  return new S3Client({ ...retries, forcePathStyle: process.env['AWS_ENDPOINT_URL'] !== undefined });
});

export const kms = once(async () => {
  const { KMSClient } = await import('@aws-sdk/client-kms');
  return new KMSClient(retries);
});

/** One try: a hook that is asked again may have done something the first time. */
export const lambda = once(async () => {
  const { LambdaClient } = await import('@aws-sdk/client-lambda');
  return new LambdaClient({ maxAttempts: 1 });
});
