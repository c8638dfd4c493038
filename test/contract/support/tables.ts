/**
 * Makes the tables of the deployed stack on an endpoint.
 *
 * The same construct makes both, so that keys and indexes cannot drift apart.
 */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import type { Tables } from '../../../shared/adapters/dynamodb/items.ts';
import type { TableProperties } from './tables-setup.ts';

/** Creates both tables under names of their own. */
export async function createTables(client: DynamoDBClient): Promise<Tables> {
  const template: Readonly<Record<string, TableProperties>> = JSON.parse(inject('tables'));
  const name = randomUUID();
  const create = async (kind: 'State' | 'Audit'): Promise<string> => {
    const [, found] = Object.entries(template).find(([id]) => id.includes(kind)) ?? [];
    if (!found) throw new Error(`the stack has no table ${kind}`);
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode } = found;
    const TableName = `${kind.toLowerCase()}-${name}`;
    const table = { TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode };
    await client.send(new CreateTableCommand(table));
    await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
    return TableName;
  };
  return { state: await create('State'), audit: await create('Audit') };
}
