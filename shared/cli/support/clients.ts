/**
 * Loads the AWS clients of the commands that need them.
 *
 * The SDK itself reads `AWS_ENDPOINT_URL` and the profile.
 */
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SFNClient } from '@aws-sdk/client-sfn';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS, INVOKE_OPTIONS } from '../../adapters/client-options.ts';

export async function dynamo(): Promise<DynamoDBClient> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient(CLIENT_OPTIONS);
  client.middlewareStack.add((next) => (args) => next(args).catch((error) => naming('DynamoDB', error)), FIRST);
  return client;
}

export async function sqs(): Promise<SQSClient> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  const client = new SQSClient(CLIENT_OPTIONS);
  client.middlewareStack.add((next) => (args) => next(args).catch((error) => naming('SQS', error)), FIRST);
  return client;
}

export async function cloudWatch(): Promise<CloudWatchClient> {
  const { CloudWatchClient } = await import('@aws-sdk/client-cloudwatch');
  const client = new CloudWatchClient(CLIENT_OPTIONS);
  client.middlewareStack.add((next) => (args) => next(args).catch((error) => naming('CloudWatch', error)), FIRST);
  return client;
}

export async function lambda(): Promise<LambdaClient> {
  const { LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient(INVOKE_OPTIONS);
  client.middlewareStack.add((next) => (args) => next(args).catch((error) => naming('Lambda', error)), FIRST);
  return client;
}

/** A search reads up to a megabyte a page, and the account has five requests a second in some regions. */
const SEARCH_OPTIONS = {
  maxAttempts: 6,
  requestHandler: { ...CLIENT_OPTIONS.requestHandler, requestTimeout: 20_000 },
} as const;

export async function cloudWatchLogs(): Promise<CloudWatchLogsClient> {
  const { CloudWatchLogsClient } = await import('@aws-sdk/client-cloudwatch-logs');
  const client = new CloudWatchLogsClient(SEARCH_OPTIONS);
  client.middlewareStack.add((next) => (args) => next(args).catch((error) => naming('CloudWatch Logs', error)), FIRST);
  return client;
}

export async function stepFunctions(): Promise<SFNClient> {
  const { SFNClient } = await import('@aws-sdk/client-sfn');
  const client = new SFNClient(CLIENT_OPTIONS);
  client.middlewareStack.add((next) => (args) => next(args).catch((error) => naming('Step Functions', error)), FIRST);
  return client;
}

const FIRST = { step: 'initialize', priority: 'high', name: 'nameTheService' } as const;

const named = new WeakSet<Error>();

/** The same error, so that adapters know it by its class, and whose it is. Requests may share one: an answer about credentials is remembered. */
function naming(service: string, error: unknown): never {
  if (error instanceof Error && !named.has(error)) {
    named.add(error);
    // Both addresses of a name refused: an AggregateError, which has no words of its own.
    const [inner] = (error as { readonly errors?: readonly Error[] }).errors ?? [];
    const reason = error.message || inner?.message || error.name;
    error.message = `${service}: ${reason}${/^Region (?:is missing|not accepted)/.test(reason) ? '; export AWS_REGION' : ''}`;
  }
  throw error;
}
