/**
 * Makes clients of AWS on first use, and holds them for the life of the process.
 * `AWS_ENDPOINT_URL` is all that tells AWS from a local endpoint.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SFNClient } from '@aws-sdk/client-sfn';
import { CLIENT_OPTIONS, INVOKE_OPTIONS } from '../../../shared/adapters/client-options.ts';
import { lazy, lazyAsync } from '../lazy.ts';
import { noteOperations } from '../telemetry/aws-operations.ts';

export const dynamo = lazy(() => noteOperations(new DynamoDBClient(CLIENT_OPTIONS)));

export const stepFunctions = lazy(() => noteOperations(new SFNClient(CLIENT_OPTIONS)));

export const kms = lazy(() => noteOperations(new KMSClient(CLIENT_OPTIONS)));

/** Bundles have the SDK's own clients of S3 and Lambda, which are loaded when the first run needs them. */
export const s3 = lazyAsync(async () => {
  const { S3Client } = await import('./lazy/s3.ts');
  const forcePathStyle = process.env['AWS_ENDPOINT_URL'] !== undefined;
  return noteOperations(new S3Client({ ...CLIENT_OPTIONS, forcePathStyle }));
});

/** For asynchronous calls of what is safe to run twice: Lambda takes them at once, and a lost answer is asked for again. */
export const lambdaQueue = lazyAsync(async () => {
  const { LambdaClient } = await import('./lazy/lambda.ts');
  return noteOperations(new LambdaClient(CLIENT_OPTIONS));
});

/** One try: a hook or a tool that is called again may have done something the first time. Only guardrails repeat a call. */
export const lambda = lazyAsync(async () => {
  const { LambdaClient } = await import('./lazy/lambda.ts');
  return noteOperations(new LambdaClient(INVOKE_OPTIONS));
});
