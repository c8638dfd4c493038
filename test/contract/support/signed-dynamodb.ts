/** Stands in for the SDK of DynamoDB in `contract-signed`, with commands that make tables. */
import { setTimeout } from 'node:timers/promises';
import type {
  CreateTableCommandInput,
  CreateTableCommandOutput,
  DescribeTableCommandInput,
  DescribeTableCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { commandOf } from '../../../shared/adapters/aws/signed/command.ts';
import type { DynamoDBClient } from '../../../shared/adapters/aws/signed/dynamodb.ts';

export * from '../../../shared/adapters/aws/signed/dynamodb.ts';
export const CreateTableCommand = commandOf<CreateTableCommandInput, CreateTableCommandOutput>('CreateTable');
const DescribeTableCommand = commandOf<DescribeTableCommandInput, DescribeTableCommandOutput>('DescribeTable');

export async function waitUntilTableExists(
  { client, maxWaitTime }: { readonly client: DynamoDBClient; readonly maxWaitTime: number },
  input: DescribeTableCommandInput,
): Promise<void> {
  const until = Date.now() + maxWaitTime * 1000;
  while (Date.now() < until) {
    const { Table } = await client.send(new DescribeTableCommand(input));
    if (Table?.TableStatus === 'ACTIVE') return;
    await setTimeout(100);
  }
  throw new Error(`${input.TableName} does not exist after ${maxWaitTime} s`);
}
