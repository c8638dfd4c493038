/** The stores on DynamoDB and S3, as the local endpoint plays them. */
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamoApprovalStore } from '../../shared/adapters/dynamodb/approval-store.ts';
import { auditPut, dynamoAuditLog } from '../../shared/adapters/dynamodb/audit-log.ts';
import { dynamoClaimStore } from '../../shared/adapters/dynamodb/claim-store.ts';
import { dynamoControlStore } from '../../shared/adapters/dynamodb/control-store.ts';
import { dynamoDecisionReader } from '../../shared/adapters/dynamodb/decision-reader.ts';
import { dynamoDelegationStore } from '../../shared/adapters/dynamodb/delegation-store.ts';
import type { Tables } from '../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoModelAnswers } from '../../shared/adapters/dynamodb/model-answers.ts';
import { dynamoPermitStore } from '../../shared/adapters/dynamodb/permit-store.ts';
import { dynamoResultStore } from '../../shared/adapters/dynamodb/result-store.ts';
import { dynamoSessionStore } from '../../shared/adapters/dynamodb/session-store.ts';
import { dynamoTaskConversations, dynamoTaskStore } from '../../shared/adapters/dynamodb/task-store.ts';
import { recountWaiting } from '../../shared/adapters/dynamodb/waiting-places.ts';
import { s3InputStore } from '../../shared/adapters/s3/input-store.ts';
import { RECORD_FAMILIES, type RecordFamily } from '../../shared/ports/audit-log.ts';
import { clientConfig, type Endpoint, startEndpoint } from '../local/endpoint/index.ts';
import { permitsContract } from './permits.contract.ts';
import { type Case, claimOf, newCase, openingOf, recordOf } from './rows.ts';
import { sessionsContract } from './sessions.contract.ts';
import { storesContract } from './stores.contract.ts';
import { TEST_LIMITS } from './stores.ts';
import { createTables } from './tables.ts';
import { taskStoreContract, taskTurnsContract } from './task-store.contract.ts';

let endpoint: Endpoint;
let dynamo: DynamoDBClient;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await startEndpoint();
  dynamo = new DynamoDBClient(clientConfig(endpoint));
  s3 = new S3Client({ ...clientConfig(endpoint), forcePathStyle: true });
}, 180_000);

afterAll(async () => {
  dynamo?.destroy();
  s3?.destroy();
  await endpoint?.stop();
});

let tables: Promise<Tables> | undefined;
const ourTables = () => {
  tables ??= createTables(dynamo);
  return tables;
};

storesContract('stores on DynamoDB', async () => {
  const tables = await ourTables();
  const Bucket = `inputs-${process.pid}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  const inputs = s3InputStore(s3, Bucket);
  return {
    inputs,
    claims: dynamoClaimStore(dynamo, tables, inputs, TEST_LIMITS),
    approvals: dynamoApprovalStore(dynamo, tables, inputs),
    journal: dynamoJournalStore(dynamo, tables),
    control: dynamoControlStore(dynamo, tables),
    delegations: dynamoDelegationStore(dynamo, tables),
    audit: dynamoAuditLog(dynamo, tables),
    reader: dynamoDecisionReader(dynamo, tables.audit),
    modelAnswers: dynamoModelAnswers(dynamo, tables),
  };
});

describe('the record on DynamoDB', () => {
  const put = async (about: Case, pk: string, sort: string) => {
    const { audit } = await ourTables();
    const { Item } = auditPut({ audit, state: '' }, recordOf(about, sort));
    await dynamo.send(new PutItemCommand({ TableName: audit, Item: { ...Item, pk: { S: pk } } }));
  };
  const sortsOf = async ({ agent, pid }: Case, ...families: RecordFamily[]) =>
    (await dynamoAuditLog(dynamo, await ourTables()).ofProposal(agent, pid, families)).map(({ key }) => key.sort);

  test('entries of before there were families stand beside the decision, and are found', async () => {
    const about = newCase();
    for (const sort of ['evaluated', 'vote#1', 'ran#call']) await put(about, `${about.agent}#${about.pid}`, sort);
    expect(await sortsOf(about, 'vote')).toEqual(['vote#1']);
    expect(await sortsOf(about, ...RECORD_FAMILIES)).toEqual(['evaluated', 'ran#call', 'vote#1']);
  });

  test('an entry counts in the partition of its family only: nobody else makes a decision or a vote of it', async () => {
    const about = newCase();
    await put(about, `vote/${about.agent}#${about.pid}`, 'decided');
    await put(about, `click/${about.agent}#${about.pid}`, 'vote#1');
    expect(await sortsOf(about, ...RECORD_FAMILIES)).toEqual([]);
    expect(await dynamoAuditLog(dynamo, await ourTables()).recent(about.agent, 5)).toEqual([]);
  });
});

sessionsContract('sessions on DynamoDB', async () => {
  const tables = await ourTables();
  const none = { put: async () => undefined, get: async () => '' };
  return {
    claims: dynamoClaimStore(dynamo, tables, none, TEST_LIMITS),
    approvals: dynamoApprovalStore(dynamo, tables, none),
    sessions: dynamoSessionStore(dynamo, tables),
  };
});

permitsContract('permits on DynamoDB', async () => {
  const tables = await ourTables();
  return { permits: dynamoPermitStore(dynamo, tables), results: dynamoResultStore(dynamo, tables) };
});

let now = 1_800_000_000_000;
const taskStore = (tables: Tables) =>
  dynamoTaskStore({ client: dynamo, tables, clock: { now: () => now }, newId: randomUUID });

taskStoreContract('task store on DynamoDB', async () => ({
  store: taskStore(await ourTables()),
  advance: (ms) => {
    now += ms;
  },
}));

taskTurnsContract('task turns on DynamoDB', async () => {
  const tables = await ourTables();
  const none = { put: async () => undefined, get: async () => '' };
  return {
    claims: dynamoClaimStore(dynamo, tables, none, TEST_LIMITS),
    store: taskStore(tables),
    conversations: dynamoTaskConversations(dynamo, tables),
  };
});

describe('counters of what waits on DynamoDB', () => {
  const inputs = { put: async () => undefined, get: async () => '' };
  const counter = async (tables: Tables, key: string): Promise<number> => {
    const Key = { pk: { S: `waiting#${key}` }, sk: { S: 'count' } };
    const { Item } = await dynamo.send(new GetItemCommand({ TableName: tables.state, Key, ConsistentRead: true }));
    return Number(Item?.['waiting']?.N ?? 0);
  };
  const add = (tables: Tables, key: string, more: number) =>
    dynamo.send(
      new UpdateItemCommand({
        TableName: tables.state,
        Key: { pk: { S: `waiting#${key}` }, sk: { S: 'count' } },
        UpdateExpression: 'ADD waiting :more',
        ExpressionAttributeValues: { ':more': { N: String(more) } },
      }),
    );
  const openOne = async (tables: Tables, about: Case) => {
    const claims = dynamoClaimStore(dynamo, tables, inputs);
    return claims.open(claimOf(about, 'ask'), openingOf(about));
  };

  test.each([3, -1])('that are wrong by %i are set right at the second look, and no sooner', async (wrong) => {
    const tables = await ourTables();
    const about = newCase();
    const names = { agents: [about.agent], groups: [about.group] };
    expect(await openOne(tables, about)).toEqual({ kind: 'claimed' });
    expect((await recountWaiting(dynamo, tables.state, names)).corrected).toBe(0);
    await add(tables, `agent#${about.agent}`, wrong);
    expect((await recountWaiting(dynamo, tables.state, names)).corrected).toBe(0);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(1 + wrong);
    expect((await recountWaiting(dynamo, tables.state, names)).corrected).toBe(1);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(1);
    expect(await counter(tables, `group#${about.group}`)).toBe(1);
    expect((await recountWaiting(dynamo, tables.state, names)).corrected).toBe(0);
  });

  test('that were wrong for a moment only are left alone', async () => {
    const tables = await ourTables();
    const about = newCase();
    const names = { agents: [about.agent], groups: [] };
    await add(tables, `agent#${about.agent}`, 1);
    await recountWaiting(dynamo, tables.state, names);
    await add(tables, `agent#${about.agent}`, -1);
    await recountWaiting(dynamo, tables.state, names);
    await add(tables, `agent#${about.agent}`, 1);
    expect((await recountWaiting(dynamo, tables.state, names)).corrected).toBe(0);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(1);
  });
});
