/** Plays the least that a function on these queues can do: one read, one put a message, no decision. */
import { BatchGetItemCommand, DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

const { TABLE = '' } = process.env;
const client = new DynamoDBClient({ maxAttempts: 3 });

/** The message of an agent: to find an item under this id. */
export interface EchoMessage {
  readonly id: string;
  /** As large as a claim. */
  readonly body: string;
  /** Also one update, as the gate's limiter of senders makes. */
  readonly limited: boolean;
}

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  await Promise.all(Records.map(({ body }) => echo(JSON.parse(body) as EchoMessage)));
  return { batchItemFailures: [] };
}

async function echo({ id, body, limited }: EchoMessage): Promise<void> {
  const key = { pk: { S: `echo#${id}` }, sk: { S: 'evaluated' } };
  if (limited) {
    const update = { UpdateExpression: 'ADD seen :one', ExpressionAttributeValues: { ':one': { N: '1' } } };
    await client.send(new UpdateItemCommand({ TableName: TABLE, Key: COUNTER, ...update }));
  }
  await client.send(
    new BatchGetItemCommand({ RequestItems: { [TABLE]: { Keys: [key, COUNTER], ConsistentRead: true } } }),
  );
  const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
  await client.send(new PutItemCommand({ TableName: TABLE, Item: { ...key, body: { S: body } }, ...condition }));
}

const COUNTER = { pk: { S: 'counter' }, sk: { S: 'counter' } };
