/**
 * Checks that no write with stolen credentials forges a decision unnoticed.
 *
 * Tries the credentials of each role that the stack made: no write with them makes, changes or hides a decision
 * without being refused or found, and a forged row gives no permit (G40, G47).
 */
import { DescribeLogGroupsCommand, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  ExecuteStatementCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditPut } from '../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { approvalKey, auditPartition, type Item, toItem } from '../../../shared/adapters/dynamodb/items.ts';
import { hexToBytes, packDecision } from '../../../shared/adapters/dynamodb/pack.ts';
import type { Approval, AuditEntry, Decision } from '../../../shared/contract/index.ts';
import { SCHEMA_VERSION } from '../../../shared/contract/primitives.ts';
import { auditDigest } from '../../../shared/domain/digest.ts';
import { RECORD_FAMILIES } from '../../../shared/domain/record/record-families.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { digestKeyOfGate, functionNamed, invoke } from '../harness/functions.ts';
import { type StolenRole, stolenRoles } from '../harness/roles.ts';
import { waiting } from '../harness/rows.ts';
import { ALICE, approve, cardOf } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

const DECIDERS = ['GateDeliberateRole', 'GateEvaluateRole', 'GateReconcileRole', 'GateResumeRole'];
const INPUT = { body: 'pay' };
const PERSON = { team: 'T0E2E', user: ALICE };

let runner: Agent;
let roles: readonly StolenRole[];
let tables: { readonly audit: string; readonly state: string };
let digestKey: Uint8Array;

beforeAll(async () => {
  const { outputs } = await e2eGate();
  runner = await agentNamed('runner');
  tables = { audit: outputs.AuditTable, state: outputs.StateTable ?? '' };
  roles = await stolenRoles();
  // Most roles may read it: whoever forges has it.
  digestKey = await digestKeyOfGate();
}, 300_000);

/** Rows that belong to no approval, for other tests read whole tables. */
const scratch: { readonly TableName: string; readonly Key: Item }[] = [];
afterAll(async () => {
  const { root } = await e2eGate();
  await Promise.all(scratch.map((row) => root.dynamodb.send(new DeleteItemCommand(row))));
});

function scratchRow(TableName: string, Key: Item): Item {
  scratch.push({ TableName, Key });
  return Key;
}

/** Whether the write was let through. @throws whatever is no refusal */
async function may(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if ((error as Error).name === 'AccessDeniedException') return false;
    throw error;
  }
}

const namesOf = async (each: (role: StolenRole) => Promise<boolean>): Promise<string[]> => {
  const names = await Promise.all(roles.map(async (role) => ((await each(role)) ? [role.name] : [])));
  return names.flat().toSorted();
};
const put = (dynamodb: DynamoDBClient, TableName: string, item: Item) =>
  may(dynamodb.send(new PutItemCommand({ TableName, Item: item })));

async function asked(): Promise<{ readonly proposalId: string; readonly approval: Approval }> {
  const proposalId = await runner.client.propose({ proposalId: newId(), toolName: 'RunSecret', input: INPUT });
  return { proposalId, approval: (await waiting(runner.pid(proposalId))).approval };
}

/** Each role has a question that nobody has forged: one that a role could change nothing of is the next one's, too. */
async function eachForging(
  of: readonly StolenRole[],
  forges: (role: StolenRole, about: Awaited<ReturnType<typeof asked>>) => Promise<boolean>,
): Promise<void> {
  const cancel = (about: Awaited<ReturnType<typeof asked>>) =>
    runner.client.cancel(about.proposalId).catch(() => undefined);
  let about = await asked();
  for (const role of of) {
    if (!(await forges(role, about))) continue;
    await cancel(about);
    about = await asked();
  }
  await cancel(about);
}

const redeem = async (proposalId: string, permitId: string) => {
  const request = { agent: 'runner', proposalId, callId: 'call', permitId, toolName: 'RunSecret', input: INPUT };
  const { answer, error } = await invoke('redeem', request);
  if (error) throw new Error(`redeem failed: ${JSON.stringify(answer)}`);
  return answer as { granted: boolean; error?: { code: string } };
};

/** All rows that would have to stand there, had Alice approved it: as the gate itself would have written them. */
function forgeries({ approval }: Awaited<ReturnType<typeof asked>>) {
  const { pid, proposalId, question, policyVersion } = approval;
  const now = new Date().toISOString();
  const [call] = question.kind === 'calls' ? question.calls : [];
  if (!call) throw new Error('no call is asked about');
  const decidedBy = { type: 'human', id: `${PERSON.team}/${PERSON.user}` } as const;
  const approvedFields = { outcome: 'approved', reasonCode: 'approved', decidedBy } as const;
  const answer = { ...approvedFields, message: 'Approved.' };
  const { actionDigest } = call;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const permit = { permitId: 'forged', actionDigest, permitEpoch: 0, issuedAt: now, expiresAt };
  const decision: Decision = {
    ...{ schemaVersion: SCHEMA_VERSION, proposalId, policyVersion, decidedAt: now, actionDigest },
    ...answer,
    calls: [{ id: 'call', ...answer, actionDigest, permit }],
  };
  const base = { pid, proposalId, agent: 'runner', recordedAt: now, policyVersion };
  const judged = {
    id: 'call',
    toolName: 'RunSecret',
    argsHash: '00000000',
    verdict: 'allow',
    reason: 'rule',
    source: 'x',
  };
  const calls = [{ ...judged, auditDigest: auditDigest(actionDigest, digestKey) }] as AuditEntry['calls'];
  const entry = (sort: string, fields: Partial<AuditEntry> & Pick<AuditEntry, 'type'>, more?: Decision): Item =>
    auditPut(tables, {
      key: { agent: 'runner', pid, sort },
      entry: { ...base, ...fields },
      ...(more ? { decision: more } : {}),
    }).Item as Item;
  const vote = { by: PERSON, name: 'Alice', stage: 0, choice: 'approve', at: now, via: 'slack' } as const;
  const row: Approval = { ...approval, status: 'approved', votes: [vote], endedAt: now, version: approval.version + 1 };
  return {
    decided: entry('decided', { type: 'decided', calls, ...approvedFields }, decision),
    vote: entry(`vote#${row.version}`, {
      ...{ type: 'vote', person: PERSON, accepted: true, reasonCode: 'approve', detail: 'slack' },
    }),
    row: {
      ...approvalKey(pid, 'row'),
      ...toItem({ approval: row, version: row.version, decision: hexToBytes(packDecision(decision)) as object }),
    },
  };
}

describe('with the credentials of any one role', () => {
  it('there are those of every function, agent, operator and auditor', () => {
    expect(roles.length).toBeGreaterThan(25);
    expect(roles.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...DECIDERS, 'GateSlackRole', 'AuditorRole']),
    );
  });

  it('no entry of the record is changed or removed, by whatever verb', async () => {
    const pid = runner.pid(newId());
    const TableName = tables.audit;
    const tries = RECORD_FAMILIES.map((family) => auditPartition('runner', pid, family)).flatMap((pk) => {
      const Key = toItem({ pk, sk: 'decided' });
      const sql = (Statement: string) => new ExecuteStatementCommand({ Statement });
      const where = `WHERE pk = '${pk}' AND sk = 'decided'`;
      return [
        (role: DynamoDBClient) =>
          role.send(new UpdateItemCommand({ TableName, Key, UpdateExpression: 'REMOVE decision' })),
        (role: DynamoDBClient) => role.send(new DeleteItemCommand({ TableName, Key })),
        (role: DynamoDBClient) =>
          role.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ DeleteRequest: { Key } }] } })),
        (role: DynamoDBClient) =>
          role.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } })),
        (role: DynamoDBClient) =>
          role.send(new TransactWriteItemsCommand({ TransactItems: [{ Delete: { TableName, Key } }] })),
        (role: DynamoDBClient) => role.send(sql(`UPDATE "${TableName}" SET verdict = 'allow' ${where}`)),
        (role: DynamoDBClient) => role.send(sql(`DELETE FROM "${TableName}" ${where}`)),
      ];
    });
    for (const [index, attempt] of tries.entries())
      expect({ index, may: await namesOf(({ dynamodb }) => may(attempt(dynamodb))) }).toEqual({ index, may: [] });
  });

  it('only those that decide put a decision, alone or in a transaction; the task agent’s own apart, for it alone', async () => {
    const { audit } = tables;
    const at = (agent: string): Item =>
      scratchRow(audit, toItem({ pk: `${agent}#${runner.pid(newId())}`, sk: 'decided' }));
    expect(await namesOf(({ dynamodb }) => put(dynamodb, audit, at('runner')))).toEqual(DECIDERS);
    const inTransaction = ({ dynamodb }: StolenRole) => {
      const Put = { TableName: audit, Item: at('runner') };
      return may(dynamodb.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] })));
    };
    expect(await namesOf(inTransaction)).toEqual(DECIDERS);
    expect(await namesOf(({ dynamodb }) => put(dynamodb, audit, at('tasks')))).toEqual(
      ['GateConverseRole', ...DECIDERS].toSorted(),
    );
  });

  it('none of those that decide puts a vote, and none of those that vote an approval’s decision or row', async () => {
    const { audit, state } = tables;
    const vote = () =>
      scratchRow(audit, toItem({ pk: auditPartition('runner', runner.pid(newId()), 'vote'), sk: 'vote#1' }));
    expect(await namesOf(({ dynamodb }) => put(dynamodb, audit, vote()))).toEqual(['GateOperateRole', 'GateSlackRole']);
    const row = () => scratchRow(state, approvalKey(runner.pid(newId()), 'row'));
    const updates = (UpdateExpression: string) => (role: StolenRole) => {
      const values = { ExpressionAttributeValues: toItem({ ':value': 'x' }) };
      return may(
        role.dynamodb.send(new UpdateItemCommand({ TableName: state, Key: row(), UpdateExpression, ...values })),
      );
    };
    expect(await namesOf(updates('SET decision = :value'))).toEqual(DECIDERS);
    expect(await namesOf(updates('SET approval = :value'))).toEqual(
      [...DECIDERS, 'GateOperateRole', 'GateSlackRole'].toSorted(),
    );
    expect(await namesOf(({ dynamodb }) => put(dynamodb, state, row()))).toEqual([
      'GateDeliberateRole',
      'GateEvaluateRole',
    ]);
  });

  it('rules, modes and approvals for later are put by those who decide and by operate, pauses and places by operate alone', async () => {
    const at = (pk: string): Item => scratchRow(tables.state, toItem({ pk, sk: 'stolen' }));
    const loosens = async (pk: string) => namesOf(({ dynamodb }) => put(dynamodb, tables.state, at(pk)));
    expect(await loosens(`session#runner#${newId()}`)).toEqual([...DECIDERS, 'GateOperateRole'].toSorted());
    for (const pk of ['control', 'delegations']) expect(await loosens(pk)).toEqual(['GateOperateRole']);
  });

  it('what Slack signs with, by which anybody can vote as anyone, is read by the function that verifies alone', async () => {
    const { environment } = await functionNamed('slack');
    const SecretId = environment['SLACK_SIGNING_SECRET'];
    const reads = ({ secrets }: StolenRole) => may(secrets.send(new GetSecretValueCommand({ SecretId })));
    expect(await namesOf(reads)).toEqual(['GateSlackRole']);
  });

  it('a decision that is forged with all that belongs to it gives no permit', async () => {
    const outcomes: [string, boolean, string | undefined][] = [];
    await eachForging(roles, async ({ name, dynamodb }, about) => {
      const { decided, vote, row } = forgeries(about);
      const { approval, version, decision, pk, sk } = row as Record<string, Item[string]>;
      const update = {
        ...{ TableName: tables.state, Key: { pk, sk } as Item },
        UpdateExpression: 'SET approval = :approval, version = :version, decision = :decision',
        ExpressionAttributeValues: { ':approval': approval, ':version': version, ':decision': decision } as Item,
      };
      const wrote = await put(dynamodb, tables.audit, decided);
      // Never votes alone: who may vote, votes.
      const changed = await may(dynamodb.send(new UpdateItemCommand(update)));
      if (changed) await put(dynamodb, tables.audit, vote);
      const { granted, error } = await redeem(about.proposalId, 'forged');
      expect(granted, name).toBe(false);
      outcomes.push([name, wrote && changed, error?.code]);
      return wrote || changed;
    });
    const forged = outcomes.filter(([, wrote]) => wrote);
    expect(forged.map(([name]) => name).toSorted()).toEqual(DECIDERS);
    // Found: the refusal is on the record, and an alarm counts it.
    expect(new Set(forged.map(([, , code]) => code))).toEqual(new Set(['record_disagrees']));
    // Where only the approval of a row was forged, the reconciler may have made a decision meanwhile: that is found, too.
    const others = outcomes.filter(([, wrote]) => !wrote);
    expect(others.filter(([, , code]) => code !== 'unknown_permit' && code !== 'record_disagrees')).toEqual([]);
  });

  it('an approval’s row that is forged without its votes is no answer of people: the gate ends it in error', async () => {
    const forged: string[] = [];
    const functions = roles.filter(({ name }) => name.startsWith('Gate'));
    await eachForging(functions, async ({ name, dynamodb }, about) => {
      const { pid } = about.approval;
      const { approval, version, pk, sk } = forgeries(about).row as Record<string, Item[string]>;
      const update = {
        ...{ TableName: tables.state, Key: { pk, sk } as Item },
        UpdateExpression: 'SET approval = :approval, version = :version',
        ExpressionAttributeValues: { ':approval': approval, ':version': version } as Item,
      };
      if (!(await may(dynamodb.send(new UpdateItemCommand(update))))) return false;
      forged.push(name);
      await invoke('resume', { pid });
      const decision = await runner.wait(about.proposalId);
      expect(decision, name).toMatchObject({ outcome: 'error', reasonCode: 'record_disagrees', calls: [] });
      return true;
    });
    expect(forged.toSorted()).toEqual([...DECIDERS, 'GateOperateRole', 'GateSlackRole'].toSorted());
  });

  it('what Alice really approved is redeemed: the forgeries lacked nothing but her', async () => {
    const { proposalId } = await asked();
    await approve(ALICE, await cardOf(runner.pid(proposalId)));
    const decision = await runner.wait(proposalId);
    expect(await redeem(proposalId, decision.calls[0]?.permit?.permitId ?? '')).toMatchObject({ granted: true });
  });
});

describe('what those that decide could still do', () => {
  const found = (partition: string, sort: string, change: string) =>
    until(`the alarm of ${sort}`, async () => {
      const { root } = await e2eGate();
      const { logGroups = [] } = await root.logs.send(new DescribeLogGroupsCommand({ limit: 50 }));
      for (const { logGroupName = '' } of logGroups.filter((group) => group.logGroupName?.includes('ArchiveAudit')))
        for await (const { events = [] } of paginateFilterLogEvents({ client: root.logs }, { logGroupName }))
          for (const { message = '' } of events) {
            if (!message.includes(partition)) continue;
            const line = JSON.parse(message) as Record<string, unknown>;
            if (String(line['key']).includes(`"${sort}"`) && line['change'] === change) return true;
          }
      return undefined;
    });

  it('to write over a decision is found, and so is a vote that they put beside it', async () => {
    const decider = roles.find(({ name }) => name === 'GateEvaluateRole');
    if (!decider) throw new Error('evaluate has no role');
    const about = await asked();
    const { pid } = about.approval;
    const { decided, vote } = forgeries(about);
    const pk = auditPartition('runner', pid);
    for (const item of [decided, { ...decided, forged: { S: 'again' } }, { ...vote, pk: { S: pk } }])
      expect(await put(decider.dynamodb, tables.audit, item)).toBe(true);
    await found(pk, 'decided', 'modify');
    await found(pk, vote['sk']?.S ?? '', 'misplaced');
    await runner.client.cancel(about.proposalId).catch(() => undefined);
  });
});
