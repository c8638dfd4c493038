/**
 * Checks bursts that two processes of `slack-out` remember.
 *
 * Neither writes over what the other has changed.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoCardLists } from '../../../shared/adapters/dynamodb/approvals/card-lists.ts';
import type { Endpoint } from '../../local/endpoint/index.ts';
import { clientOf, startDynamo } from '../support/dynamodb.ts';
import { START } from '../support/rows.ts';
import { createTables } from '../support/tables.ts';

let endpoint: Endpoint;
let dynamo: DynamoDBClient;

beforeAll(async () => {
  endpoint = await startDynamo();
  dynamo = clientOf(endpoint);
}, 180_000);

afterAll(async () => {
  dynamo?.destroy();
  await endpoint?.stop();
});

test('a remembered burst costs no read, and one that another process changed is found by the write', async () => {
  const reads: string[] = [];
  dynamo.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        if (commandName.startsWith('Get')) reads.push(commandName);
        return next(args);
      },
    { step: 'initialize' },
  );
  const tables = await createTables(dynamo);
  const [here, there] = [dynamoCardLists(dynamo, tables), dynamoCardLists(dynamo, tables)];
  const burst = { agent: 'coder', channel: 'C0APPROVALS', version: 1, at: START, own: [] };
  expect(await here.writeBurst(burst)).toBe(true);
  expect(await here.readBurst('coder', 'C0APPROVALS')).toEqual(burst);
  expect(reads).toEqual([]);

  expect(await there.readBurst('coder', 'C0APPROVALS')).toEqual(burst);
  const changed = { ...burst, version: 2, list: 'theirs' };
  expect(await there.writeBurst(changed)).toBe(true);
  expect(reads).toHaveLength(1);

  expect(await here.writeBurst({ ...burst, version: 2, list: 'ours' })).toBe(false);
  expect(await here.readBurst('coder', 'C0APPROVALS')).toEqual(changed);
  expect(await here.writeBurst({ ...changed, version: 3 })).toBe(true);
  expect(reads).toHaveLength(1);
});
