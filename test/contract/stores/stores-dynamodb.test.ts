/** Checks the stores on DynamoDB and S3, as the local endpoint plays them. */
import { type DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamoApprovalStore } from '../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoCardLists } from '../../../shared/adapters/dynamodb/approvals/card-lists.ts';
import { dynamoDelegationStore } from '../../../shared/adapters/dynamodb/approvals/delegation-store.ts';
import { pendingApprovals } from '../../../shared/adapters/dynamodb/approvals/pending-approvals.ts';
import {
  freeSlots,
  QUIET_MS,
  recountWaiting,
  takeSlots,
} from '../../../shared/adapters/dynamodb/approvals/waiting-slots.ts';
import { dynamoAliasStore } from '../../../shared/adapters/dynamodb/audit/alias-store.ts';
import { auditPut } from '../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { dynamoAuditLog } from '../../../shared/adapters/dynamodb/audit/audit-log.ts';
import { approvalKey, type Item, type Tables } from '../../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoModelAnswers } from '../../../shared/adapters/dynamodb/model-answers.ts';
import { dynamoClaimStore } from '../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoDecisionReader } from '../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { dynamoPermitStore } from '../../../shared/adapters/dynamodb/proposals/permit-store.ts';
import { dynamoResultStore } from '../../../shared/adapters/dynamodb/proposals/result-store.ts';
import { dynamoControlStore } from '../../../shared/adapters/dynamodb/sessions/control-store.ts';
import { dynamoSessionStore } from '../../../shared/adapters/dynamodb/sessions/session-store.ts';
import { dynamoTaskConversations, dynamoTasks } from '../../../shared/adapters/dynamodb/task-store.ts';
import { s3InputStore } from '../../../shared/adapters/s3/input-store.ts';
import { RECORD_FAMILIES, type RecordFamily } from '../../../shared/domain/record/record-families.ts';
import { isOfRecordedVotes } from '../../../shared/use-cases/approvals/resolution/recorded-votes.ts';
import { clientConfig, type Endpoint } from '../../local/endpoint/index.ts';
import { clientOf, startDynamo } from '../support/dynamodb.ts';
import { sharedEndpoint } from '../support/endpoint.ts';
import { approvalOf, type Case, claimOf, newCase, openingOf, recordOf, voted } from '../support/rows.ts';
import { storedTasks } from '../support/stored-tasks.ts';
import { TEST_LIMITS } from '../support/stores.ts';
import { createTables } from '../support/tables.ts';
import { permitsContract } from './permits.contract.ts';
import { sessionsContract } from './sessions.contract.ts';
import { storesContract } from './stores.contract.ts';
import { taskStoreContract, taskTurnsContract } from './task-store.contract.ts';

let endpoint: Endpoint;
let dynamo: DynamoDBClient;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await startDynamo();
  dynamo = clientOf(endpoint);
  s3 = new S3Client({ ...clientConfig(sharedEndpoint()), forcePathStyle: true });
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
    aliases: dynamoAliasStore(dynamo, tables),
    reader: dynamoDecisionReader(dynamo, tables.audit),
    modelAnswers: dynamoModelAnswers(dynamo, tables),
    lists: dynamoCardLists(dynamo, tables),
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

  test('a vote of before there were families makes its row genuine, beside a vote of its family too', async () => {
    const about = newCase();
    const audit = dynamoAuditLog(dynamo, await ourTables());
    const castBy = (user: string, sort: string) => {
      const { key, entry } = recordOf(about, sort);
      const cast = { person: { team: 'T0DEMO', user }, accepted: true, reasonCode: 'approve' };
      return { key, entry: { ...entry, type: 'vote' as const, ...cast } };
    };
    const row = approvalOf(about);
    const stages = row.question.stages.map((stage) => ({ ...stage, quorum: 2 }));
    const byBoth = voted(voted({ ...row, question: { ...row.question, stages } }, 'U0ALICE'), 'U0BOB');
    const isGenuine = () => isOfRecordedVotes(byBoth, { audit, digestKey: Buffer.alloc(32, 7) });
    await audit.put(castBy('U0BOB', 'vote#2'));
    expect(await isGenuine()).toBe(false);
    const { TableName, Item } = auditPut(await ourTables(), castBy('U0ALICE', 'vote#1'));
    await dynamo.send(new PutItemCommand({ TableName, Item: { ...Item, pk: { S: `${about.agent}#${about.pid}` } } }));
    expect(await isGenuine()).toBe(true);
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
const taskStores = async () => {
  const tables = await ourTables();
  const none = { put: async () => undefined, get: async () => '' };
  const claims = dynamoClaimStore(dynamo, tables, none, TEST_LIMITS);
  const store = storedTasks({ claims, tasks: dynamoTasks(dynamo, tables), now: () => now });
  return { claims, store, conversations: dynamoTaskConversations(dynamo, tables) };
};

taskStoreContract('tasks on DynamoDB', async () => ({
  ...(await taskStores()),
  advance: (ms) => {
    now += ms;
  },
}));

taskTurnsContract('task turns on DynamoDB', taskStores);

test('a call like one that has ended pays for no transaction that fails', async () => {
  const tables = await ourTables();
  const none = { put: async () => undefined, get: async () => '' };
  const client = clientOf(endpoint);
  let transactions = 0;
  client.middlewareStack.add(
    (next, { commandName }) => {
      if (commandName === 'TransactWriteItemsCommand') transactions += 1;
      return next;
    },
    { step: 'initialize' },
  );
  const claims = dynamoClaimStore(client, tables, none, TEST_LIMITS);
  const same = newCase().pid;
  const ask = (about: Case) => claims.open(claimOf(about, 'ask'), openingOf(about, { same }));
  const [ended, later] = [newCase(), newCase()];
  await ask(ended);
  await dynamoApprovalStore(client, tables, none).write(voted(approvalOf(ended), 'U0ALICE'), undefined, 0);
  transactions = 0;
  expect(await ask(later)).toEqual({ kind: 'claimed' });
  expect(transactions).toBe(1);
  client.destroy();
});

test('a call that waited when it was looked at, and has ended since, is not followed', async () => {
  const tables = await ourTables();
  const none = { put: async () => undefined, get: async () => '' };
  const client = clientOf(endpoint);
  let betweenLookAndWrite = async () => undefined as unknown;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactWriteItemsCommand') await betweenLookAndWrite();
        return next(args);
      },
    { step: 'initialize' },
  );
  const claims = dynamoClaimStore(client, tables, none, TEST_LIMITS);
  const approvals = dynamoApprovalStore(dynamo, tables, none);
  const same = newCase().pid;
  const ask = (about: Case) => claims.open(claimOf(about, 'ask'), openingOf(about, { same }));
  const [first, second, third] = [newCase(), newCase(), newCase()];
  await ask(first);
  betweenLookAndWrite = () => approvals.write(voted(approvalOf(first), 'U0ALICE'), undefined, 0);
  expect(await ask(second)).toEqual({ kind: 'claimed' });
  betweenLookAndWrite = async () => undefined;
  expect((await approvals.read(second.pid))?.approval.follows).toBeUndefined();
  expect((await approvals.read(first.pid))?.waiters).toEqual([]);
  // Later calls follow the one that asks now.
  expect(await ask(third)).toEqual({ kind: 'claimed' });
  expect((await approvals.read(third.pid))?.approval.follows).toBe(second.pid);
  client.destroy();
});

test('a read that fails between two tries leaves no slot taken: the transaction tells', async () => {
  const tables = await ourTables();
  const none = { put: async () => undefined, get: async () => '' };
  const client = clientOf(endpoint);
  let fails = false;
  client.middlewareStack.add(
    (next, { commandName }) => {
      if (fails && commandName === 'GetItemCommand') throw new Error('a read that fails');
      return next;
    },
    { step: 'initialize' },
  );
  const claims = dynamoClaimStore(client, tables, none, TEST_LIMITS);
  const same = newCase().pid;
  const ask = (about: Case) => claims.open(claimOf(about, 'ask'), openingOf(about, { same }));
  const [first, second] = [newCase(), newCase()];
  await ask(first);
  fails = true;
  expect(await ask(second)).toEqual({ kind: 'claimed' });
  client.destroy();
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

  test.each([3, -1])('that are wrong by %i are set right once nothing was counted for a while', async (wrong) => {
    const tables = await ourTables();
    const about = newCase();
    const names = { agents: [about.agent], groups: [about.group] };
    const correctedAt = async (ms: number) => (await recountWaiting(dynamo, tables.state, names, ms)).corrected;
    expect(await openOne(tables, about)).toEqual({ kind: 'claimed' });
    expect(await correctedAt(0)).toBe(0);
    await add(tables, `agent#${about.agent}`, wrong);
    expect(await correctedAt(1)).toBe(0);
    expect(await correctedAt(QUIET_MS)).toBe(0);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(1 + wrong);
    expect(await correctedAt(QUIET_MS + 1)).toBe(1);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(1);
    expect(await counter(tables, `group#${about.group}`)).toBe(1);
    expect(await correctedAt(3 * QUIET_MS)).toBe(0);
  });

  test('tell of the oldest question of each group, and of those that are looked at soon', async () => {
    const tables = await ourTables();
    const about = newCase();
    expect(await openOne(tables, about)).toEqual({ kind: 'claimed' });
    const { approval, dueAt } = openingOf(about);
    const since = Date.parse(approval.requestedAt);
    const look = (now: number) => recountWaiting(dynamo, tables.state, { agents: [], groups: [] }, now);
    const found = await look(dueAt);
    expect(found.oldest.get(about.group)).toBe(since);
    expect(found.soon).toContainEqual({ pid: approval.pid, since });
    expect((await look(dueAt - 2 * 3_600_000)).soon).not.toContainEqual({ pid: approval.pid, since });
    expect(found.strays).toContain(approval.pid);
    expect(found.listed).not.toContain(approval.pid);
    const named = await recountWaiting(dynamo, tables.state, { agents: [], groups: [about.group] }, dueAt);
    expect(named.strays).not.toContain(approval.pid);
    expect(named.listed).toContain(approval.pid);
  });

  test('that were wrong for a moment only are left alone', async () => {
    const tables = await ourTables();
    const about = newCase();
    const names = { agents: [about.agent], groups: [] };
    await add(tables, `agent#${about.agent}`, 1);
    await recountWaiting(dynamo, tables.state, names, 0);
    await add(tables, `agent#${about.agent}`, -1);
    await recountWaiting(dynamo, tables.state, names, QUIET_MS);
    await add(tables, `agent#${about.agent}`, 1);
    expect((await recountWaiting(dynamo, tables.state, names, 2 * QUIET_MS)).corrected).toBe(0);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(1);
  });

  test('that were wrong at a look of the release before are looked at anew', async () => {
    const tables = await ourTables();
    const about = newCase();
    const names = { agents: [about.agent], groups: [] };
    await dynamo.send(
      new PutItemCommand({
        TableName: tables.state,
        Item: {
          pk: { S: `waiting#agent#${about.agent}` },
          sk: { S: 'count' },
          waiting: { N: '2' },
          off: { N: '2' },
        },
      }),
    );
    expect((await recountWaiting(dynamo, tables.state, names, 0)).corrected).toBe(0);
    expect((await recountWaiting(dynamo, tables.state, names, QUIET_MS)).corrected).toBe(1);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(0);
  });

  test('that an ask changed meanwhile are left alone, although it was taken back again', async () => {
    const tables = await ourTables();
    const about = newCase();
    const names = { agents: [about.agent], groups: [about.group] };
    const places = [{ kind: 'agent' as const, name: about.agent, most: 9 }];
    await add(tables, `agent#${about.agent}`, 1);
    await recountWaiting(dynamo, tables.state, names, 0);
    expect(await takeSlots(dynamo, tables.state, places)).toBeUndefined();
    await freeSlots(dynamo, tables.state, places);
    expect((await recountWaiting(dynamo, tables.state, names, QUIET_MS)).corrected).toBe(0);
    expect((await recountWaiting(dynamo, tables.state, names, 2 * QUIET_MS)).corrected).toBe(1);
    expect(await counter(tables, `agent#${about.agent}`)).toBe(0);
  });
});

describe('rows of before the index was sharded', () => {
  const inputs = { put: async () => undefined, get: async () => '' };
  /** As the release before wrote it: in the one partition of the older index, which has the whole row. */
  const asBefore = (tables: Tables, key: Item, due: string, dueAt: number) =>
    dynamo.send(
      new UpdateItemCommand({
        TableName: tables.state,
        Key: key,
        UpdateExpression: 'SET due = :due, dueAt = :dueAt REMOVE look, lookAt, quietUntil, counted',
        ExpressionAttributeValues: { ':due': { S: due }, ':dueAt': { N: String(dueAt) } },
      }),
    );
  const whereIs = async (tables: Tables, key: Item) => {
    const { Item: item } = await dynamo.send(new GetItemCommand({ TableName: tables.state, Key: key }));
    return ['due', 'dueAt', 'look', 'lookAt'].filter((name) => item?.[name] !== undefined);
  };

  test('are found among the others in the order of their times, each once, and move over when they change', async () => {
    const tables = await createTables(dynamo);
    const claims = dynamoClaimStore(dynamo, tables, inputs);
    const approvals = dynamoApprovalStore(dynamo, tables, inputs);
    const cases = Array.from({ length: 40 }, () => newCase());
    // Several of one time, in both indexes: a page may end between them.
    for (const [index, about] of cases.entries()) {
      const dueAt = 1_000 + Math.floor(index / 6);
      await claims.open(claimOf(about, 'ask'), openingOf(about, { dueAt }));
      if (index % 2) await asBefore(tables, approvalKey(about.pid, 'row'), 'due', dueAt);
    }
    const seen: { readonly pid: string; readonly dueAt: number }[] = [];
    for (let page = await approvals.due(2_000, 5); page.length; page = await approvals.due(2_000, 5, page.at(-1)))
      seen.push(...page);
    expect(seen.map(({ pid }) => pid).toSorted()).toEqual(cases.map(({ pid }) => pid).toSorted());
    expect(seen.map(({ dueAt }) => dueAt)).toEqual(seen.map(({ dueAt }) => dueAt).toSorted((a, b) => a - b));
    expect((await pendingApprovals(dynamo, tables.state, [])).approvals.map(({ pid }) => pid).toSorted()).toEqual(
      cases.map(({ pid }) => pid).toSorted(),
    );
    const changes = [
      (pid: string) => approvals.postpone(pid, 5_000, 0),
      (pid: string) => approvals.setBack(pid, 5_000, 1),
      (pid: string) => approvals.bringForward(pid, 500, false),
      (_: string, about: Case) => approvals.write(voted(approvalOf(about), 'U0ALICE'), undefined, 5_000),
    ];
    for (const [index, change] of changes.entries()) {
      const about = cases[2 * index + 1] as Case;
      await change(about.pid, about);
      expect(await whereIs(tables, approvalKey(about.pid, 'row'))).toEqual(['look', 'lookAt']);
    }
    const dropped = cases[9] as Case;
    await approvals.dropDue(dropped.pid);
    expect(await whereIs(tables, approvalKey(dropped.pid, 'row'))).toEqual([]);
    // Nothing is set right while there are rows that say nothing of where they count.
    const names = { agents: cases.map(({ agent }) => agent), groups: [] };
    for (const ms of [0, QUIET_MS]) expect((await recountWaiting(dynamo, tables.state, names, ms)).corrected).toBe(0);
  });
});
