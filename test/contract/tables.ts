/**
 * Makes the tables of the deployed stack on an endpoint.
 *
 * The same construct makes both, so that keys and indexes cannot drift apart.
 */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { GateTables } from '../../cdk/constructs/data/tables.ts';
import type { Tables } from '../../shared/adapters/dynamodb/items.ts';

type TableProperties = Pick<
  CreateTableCommandInput,
  'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes' | 'BillingMode'
>;

/** Creates both tables under names of this process. */
export async function createTables(client: DynamoDBClient, name = 'stores'): Promise<Tables> {
  const stack = new Stack(new App(), 'Tables');
  new GateTables(stack, 'Tables', { development: true, encryptionKey: undefined });
  const template = Object.entries(Template.fromStack(stack).findResources('AWS::DynamoDB::Table'));
  const create = async (kind: 'State' | 'Audit'): Promise<string> => {
    const found = template.find(([id]) => id.includes(kind))?.[1] as { Properties: TableProperties } | undefined;
    if (!found) throw new Error(`the stack has no table ${kind}`);
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode } = found.Properties;
    const TableName = `${name}-${kind.toLowerCase()}-${process.pid}`;
    const table = { TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode };
    await client.send(new CreateTableCommand(table));
    await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
    return TableName;
  };
  return { state: await create('State'), audit: await create('Audit') };
}
