/**
 * Reads rows of the previous release from the tables of this one, and answers its waiting approvals.
 *
 * Answered approvals are decided, the others end, and every decision is read. The rows are data (`releases/`), since
 * the code that wrote them is gone. The data holds decisions by rules, grants and people, a batch, a follower, a
 * question to people, a call with a secret, a child session, a used permit, a pause and rules of operators.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type AttributeValue, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamoApprovalStore } from '../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoDelegationStore } from '../../../shared/adapters/dynamodb/approvals/delegation-store.ts';
import { dynamoAuditLog } from '../../../shared/adapters/dynamodb/audit/audit-log.ts';
import type { Tables } from '../../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoClaimStore } from '../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoDecisionReader } from '../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { dynamoPermitStore } from '../../../shared/adapters/dynamodb/proposals/permit-store.ts';
import { dynamoControlStore } from '../../../shared/adapters/dynamodb/sessions/control-store.ts';
import { dynamoSessionStore } from '../../../shared/adapters/dynamodb/sessions/session-store.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { clientConfig } from '../../local/endpoint/index.ts';
import { bash, PEOPLE, policyOf, World } from '../../unit/use-cases/world.ts';
import { sharedEndpoint } from '../support/endpoint.ts';
import { createTables } from '../support/tables.ts';

type Item = Record<string, AttributeValue>;
const rows = JSON.parse(
  readFileSync(new URL('./0.1.0.json', import.meta.url), 'utf8'),
  // JSON has no bytes: they stand there as the object that `JSON.stringify` makes of them.
  (key, value) => (key === 'B' ? Uint8Array.from(Object.values(value)) : value),
) as { readonly state: readonly Item[]; readonly audit: readonly Item[] };

let dynamo: DynamoDBClient;
let tables: Tables;
let world: World;

/** The gate of this release on the tables, under the policy that the previous one had. */
function worldOn(names: Tables): World {
  const inputs = { put: async () => undefined, get: async () => '' };
  const stores: Readonly<Record<string, () => object>> = {
    claims: () => dynamoClaimStore(dynamo, names, inputs),
    approvals: () => dynamoApprovalStore(dynamo, names, inputs),
    journal: () => dynamoJournalStore(dynamo, names),
    control: () => dynamoControlStore(dynamo, names),
    delegations: () => dynamoDelegationStore(dynamo, names),
    audit: () => dynamoAuditLog(dynamo, names),
    sessions: () => dynamoSessionStore(dynamo, names),
    permits: () => dynamoPermitStore(dynamo, names),
  };
  const policy = policyOf({
    more: 'tools: { Bash: { permissions: [Execute] } }\n',
    agents:
      '  lead: { owner: olga }\n  coder: { owner: olga, requesters: [bob] }\n  writer: { owner: olga, mode: bubble, parents: [lead] }',
  });
  return new World(policy, {
    wrap: <Port extends object>(name: string, port: Port) => (stores[name]?.() as Port | undefined) ?? port,
  });
}

beforeAll(async () => {
  dynamo = new DynamoDBClient(clientConfig(sharedEndpoint()));
  tables = await createTables(dynamo);
  for (const table of ['state', 'audit'] as const)
    for (const Item of rows[table]) await dynamo.send(new PutItemCommand({ TableName: tables[table], Item }));
  world = worldOn(tables);
}, 180_000);

afterAll(async () => {
  dynamo?.destroy();
});

const decisionOn = async (proposalId: string, agent = 'coder') => {
  const reader = dynamoDecisionReader(dynamo, tables.audit);
  const pid = world.pid(proposalId, agent);
  const claim = await reader.read(agent, pid, 'evaluated');
  return claim?.decision ?? (await reader.read(agent, pid, 'decided'))?.decision;
};

/** Lets what is under way on the endpoint come to its end, while the clock of the gate moves by `ms` a turn. */
async function decided(proposalId: string, agent = 'coder', ms = 0) {
  for (let turn = 0; turn < 200; turn++) {
    await world.clock.advance(ms);
    // The gate in memory has rounds for rows of its own alone, and none of these is.
    await world.gate.reconcile();
    await delay(25);
    const decision = await decisionOn(proposalId, agent);
    if (decision) return decision;
  }
  throw new Error(`there is no decision on ${proposalId}`);
}

describe('decisions of the previous release', () => {
  test.each([
    ['allowed', 'approved', 'rule_match'],
    ['denied', 'denied', 'rule_match'],
    ['approved', 'approved', 'approved'],
    ['by-grant', 'approved', 'cache_hit'],
    ['rejected', 'denied', 'rejected'],
    ['edited', 'approved', 'edited'],
  ])('%s is read as %s', async (proposalId, outcome, reasonCode) => {
    expect(await decisionOn(proposalId)).toMatchObject({ outcome, reasonCode, proposalId });
  });

  test('are the answer to the same proposal sent again', async () => {
    await world.send(bash('denied', 'rm -rf x'));
    expect(await decided('denied')).toMatchObject({ outcome: 'denied' });
  });

  test('have a record that is read in full', async () => {
    const entries = await dynamoAuditLog(dynamo, tables).ofProposal('coder', world.pid('edited'));
    expect(entries.map(({ key }) => key.sort)).toEqual(expect.arrayContaining(['evaluated', 'vote#1', 'decided']));
  });
});

test('an approval of the previous release that waits is answered now, and so is the call that follows it', async () => {
  const pid = world.pid('waiting');
  const view = await world.gate.parts.approvals.read(pid);
  if (!view) throw new Error('the approval was not read');
  const voted = await vote(
    {
      pid,
      person: PEOPLE.alice,
      isBot: false,
      ballot: { choice: 'approve', reason: undefined, questionDigest: view.approval.question.digest, via: 'slack' },
      requestId: 'click-1',
      from: { card: view.cards[0] ?? { channel: 'C0APPROVALS', ts: '1.1' }, isOwn: () => true },
    },
    world.gate.parts,
  );
  expect(voted).toMatchObject({ kind: 'counted' });
  // The approval's workflow ran in the previous release's process: the reconciler finishes it.
  expect(await decided('waiting', 'coder', 15_000)).toMatchObject({ outcome: 'approved' });
  expect(await decided('follower', 'coder', 15_000)).toMatchObject({ outcome: 'approved' });
});

test('a decision of this release is one that the client of the previous release reads', async () => {
  const schema = JSON.parse(readFileSync(new URL('./0.1.0-decision.schema.json', import.meta.url), 'utf8'));
  const isDecision = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(schema);
  await world.send(bash('allowed-now', 'git status'));
  await world.send(bash('denied-now', 'rm -rf y'));
  for (const proposalId of ['allowed-now', 'denied-now', 'waiting', 'follower', 'allowed', 'edited']) {
    const decision = await decided(proposalId);
    expect(isDecision(decision), `${proposalId}: ${JSON.stringify(isDecision.errors)}`).toBe(true);
  }
  // Redemption reads why it was allowed.
  const [record] = (await dynamoAuditLog(dynamo, tables).ofProposal('coder', world.pid('waiting'))).filter(
    ({ decision }) => decision,
  );
  expect(record?.decision?.calls[0]?.permit?.allowedBy).toMatchObject({ people: [PEOPLE.alice] });
});

/** Longer than any approval of the data waits. */
const HOURS_MS = 24 * 3_600_000;

test('every other approval of the previous release ends when its time is over, and all waiting slots are free', async () => {
  // A look of the reconciler for each minute of these hours would find nothing.
  world.clock.jump(HOURS_MS);
  for (const [proposalId, outcome, agent] of [
    ['question', 'expired', 'coder'],
    // The original of a call with a secret stands in another store, which the data leave out.
    ['secret', 'error', 'coder'],
    ['withdrawn', 'expired', 'coder'],
    ['child', 'expired', 'writer'],
    // The grant that one of its calls rests on ends before people answered about the other.
    ['batch', 'superseded', 'coder'],
  ] as const)
    expect(await decided(proposalId, agent, 60_000), proposalId).toMatchObject({ outcome });
  const waiting = async () => {
    const keys = ['agent#coder', 'agent#writer', 'group#platform'].map((name) => ({
      pk: { S: `waiting#${name}` },
      sk: { S: 'count' },
    }));
    const items = await Promise.all(
      keys.map((Key) => dynamo.send(new GetItemCommand({ TableName: tables.state, Key, ConsistentRead: true }))),
    );
    return items.map(({ Item: item }) => Number(item?.['waiting']?.N));
  };
  await expect.poll(waiting).toEqual([0, 0, 0]);
});
