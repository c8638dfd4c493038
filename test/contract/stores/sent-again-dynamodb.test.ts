/** Checks that a write whose answer was lost is sent again by the client, and is done once. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoApprovalStore } from '../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoAliasStore } from '../../../shared/adapters/dynamodb/audit/alias-store.ts';
import type { Tables } from '../../../shared/adapters/dynamodb/items.ts';
import { dynamoClaimStore } from '../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import type { Endpoint } from '../../local/endpoint/index.ts';
import { clientOf, startDynamo } from '../support/dynamodb.ts';
import { approvalOf, claimOf, decisionOf, newCase, openingOf, recordOf, voted } from '../support/rows.ts';
import { TEST_LIMITS } from '../support/stores.ts';
import { createTables } from '../support/tables.ts';

let endpoint: Endpoint;
let steady: DynamoDBClient;
/** Loses the first answer to each transaction. */
let unlucky: DynamoDBClient;
let tables: Tables;
let lost = 0;

const inputs = { put: async () => undefined, get: async () => '' };

beforeAll(async () => {
  endpoint = await startDynamo();
  steady = clientOf(endpoint);
  tables = await createTables(steady);
  unlucky = clientOf(endpoint);
  let isFirst = true;
  unlucky.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        isFirst = commandName === 'TransactWriteItemsCommand' && !isFirst;
        if (!isFirst) return result;
        lost += 1;
        throw Object.assign(new Error('the answer took too long'), { name: 'TimeoutError' });
      },
    { step: 'deserialize', name: 'lost', priority: 'low' },
  );
}, 180_000);

afterAll(async () => {
  steady?.destroy();
  unlucky?.destroy();
  await endpoint?.stop();
});

const claims = (client: DynamoDBClient) => dynamoClaimStore(client, tables, inputs, TEST_LIMITS);
const approvals = (client: DynamoDBClient) => dynamoApprovalStore(client, tables, inputs);

/** Loses the first answer to the write. */
async function said<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  const before = lost;
  const answer = await write();
  expect(lost - before).toBe(1);
  return answer;
}

test('a question is opened', async () => {
  const about = newCase();
  const open = () => claims(unlucky).open(claimOf(about, 'ask'), openingOf(about, { same: about.pid }));
  expect(await said(open)).toEqual({ kind: 'claimed' });
});

test('a claim that changes sessions is made', async () => {
  const about = newCase();
  const denials = { agent: about.agent, day: '2026-11-21', more: 1 };
  const claim = () => claims(unlucky).claim(claimOf(about, 'deny'), { rows: [], denials });
  expect(await said(claim)).toEqual({ kind: 'claimed' });
});

test('a vote counts', async () => {
  const about = newCase();
  await claims(steady).open(claimOf(about, 'ask'), openingOf(about));
  const row = voted(approvalOf(about), 'U0ALICE');
  const write = () => approvals(unlucky).write(row, recordOf(about, 'vote#1'), 0);
  expect(await said(write)).toBe(true);
  expect((await approvals(steady).read(about.pid))?.approval.votes).toHaveLength(1);
});

test('a decision is written', async () => {
  const about = newCase();
  await claims(steady).open(claimOf(about, 'ask'), openingOf(about));
  const record = recordOf(about, 'decided', { decision: decisionOf('cancelled') });
  expect(await said(() => approvals(unlucky).finish(approvalOf(about), record, 0))).toBe('written');
});

test('a name gets its alias', async () => {
  const key = { user: newCase().pid, secret: 'a'.repeat(64) };
  expect(await said(() => dynamoAliasStore(unlucky, tables).put(key))).toBe(true);
});
