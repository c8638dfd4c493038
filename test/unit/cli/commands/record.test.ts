/** Checks the commands that read the record: `sessions` and `audit`. */
import type { PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { auditPut } from '../../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { rowOf } from '../../../../shared/cli/support/audit/audit-row.ts';
import type { AuditEntry } from '../../../../shared/contract/index.ts';
import type { SessionRow } from '../../../../shared/contract/session.ts';
import { pidOf } from '../../../../shared/domain/digest.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { type FakeAws, fakeAws } from '../fake-aws.ts';
import { acts, cli, NOW } from '../run-cli.ts';

const env = {
  COUNTERSIGN_DEPLOYMENT: 'Countersign',
  COUNTERSIGN_AUDIT_TABLE: 'audit',
  COUNTERSIGN_STATE_TABLE: 'state',
};
const hex = (digit: string) => digit.repeat(64);
const pid = pidOf('Countersign', 'builder', 'p-1');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const remembered = (sessionId: string): SessionRow => ({
  ...newSession('builder', sessionId),
  version: 1,
  total: 1,
  updatedAt: ago(100),
});

describe('sessions', () => {
  const pages = {
    Query: ({ ExclusiveStartKey }: Readonly<Record<string, unknown>>) => {
      const item = (sessionId: string) => marshall({ pk: 'session', sk: sessionId, session: remembered(sessionId) });
      // An operation on a name that it did not find leaves such a row.
      const session = { ...newSession('builder', 'typo'), version: 1, done: ['a1b2'] };
      return ExclusiveStartKey
        ? { Items: [marshall({ pk: 'session', sk: 'typo', session }), item('old')] }
        : { Items: [item('new')], LastEvaluatedKey: marshall({ pk: 'session', sk: 'new' }) };
    },
  };

  test('show finds one that stands on a later page, and reads no further than it', async () => {
    aws = await fakeAws(pages);
    const old = await cli(['sessions', 'show', 'old', '--agent', 'builder', '--json'], { env });
    expect(old.lines).toMatchObject([{ sessionId: 'old' }]);
    await cli(['sessions', 'show', 'new', '--agent', 'builder'], { env });
    expect(aws.asked).toHaveLength(3);
    const none = await cli(['sessions', 'show', 'none', '--agent', 'builder'], { env });
    expect(none).toMatchObject({ code: 1, err: 'countersign: nothing is remembered of the session none of builder\n' });
  });

  test('show calls people as the policy file does, and those of earlier releases as they were called', async () => {
    const grant = { toolName: 'Bash', scope: 'session', approvedAt: ago(60), expiresAt: ago(-60) } as const;
    const session: SessionRow = {
      ...remembered('main'),
      grants: [
        { ...grant, key: hex('a'), approvedBy: 'U0ALICE and U0GONE' },
        { ...grant, key: hex('b'), approvedBy: 'Bob Approver' },
      ],
      refusals: [{ key: hex('c'), by: 'U0OLGA', at: ago(60) }],
    };
    aws = await fakeAws({ Query: () => ({ Items: [marshall({ pk: 'session', sk: 'main', session })] }) });
    const known = { ...env, COUNTERSIGN_POLICY: 'people.yaml' };
    const { out } = await cli(['sessions', 'show', 'main', '--agent', 'builder'], { env: known, columns: 200 });
    expect(out).toMatch(/grant +Bash, one exact call, by Alice Approver and U0GONE, until /);
    expect(out).toMatch(/grant +Bash, one exact call, by Bob Approver, until /);
    expect(out).toMatch(/refusal +by Olga Owner, /);
  });

  test('list reads on until it has as many as were wanted', async () => {
    aws = await fakeAws(pages);
    const two = await cli(['sessions', 'list', '--agent', 'builder', '--json'], { env });
    expect(two.lines).toMatchObject([{ sessionId: 'new' }, { sessionId: 'old' }]);
    const one = await cli(['sessions', 'list', '--agent', 'builder', '--limit', '1', '--json'], { env });
    expect(one.lines).toMatchObject([{ sessionId: 'new' }]);
    expect(aws.asked).toHaveLength(3);
  });
});

test('an error of a service says whose it is, and what to do next', async () => {
  aws = await fakeAws({});
  process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:1';
  const ran = await cli(['pending'], { env });
  expect(ran).toMatchObject({ code: 1, err: expect.stringMatching(/^countersign: DynamoDB: .*ECONNREFUSED/) });
  expect(ran.err).toContain('; is AWS_REGION right, and AWS_ENDPOINT_URL');
});

const base = { pid, proposalId: 'p-1', agent: 'builder', policyVersion: hex('e') };
const rule = { id: 'project:2', pattern: 'Bash(git push:*)', source: 'project', effect: 'ask' } as const;
const call = {
  id: 'call',
  toolName: 'Bash',
  argsHash: '00000000',
  auditDigest: hex('f'),
  verdict: 'ask',
  reason: 'rule_match',
  source: 'rules',
  rule,
} as const;
const ENTRIES: readonly (readonly [string, AuditEntry])[] = [
  [
    'evaluated',
    { ...base, type: 'evaluated', recordedAt: ago(300), sessionId: 'main', mode: 'default', calls: [call] },
  ],
  [
    'click#1',
    {
      ...base,
      type: 'click',
      recordedAt: ago(250),
      person: { team: 'T0DEMO', user: 'U0STRANGER' },
      accepted: false,
      reasonCode: 'not_in_group',
      detail: 'approve via slack \u001b[2J\u202e',
    },
  ],
  [
    'vote#1',
    {
      ...base,
      type: 'vote',
      recordedAt: ago(200),
      person: { team: 'T0DEMO', user: 'U0ALICE' },
      accepted: true,
      reasonCode: 'approve',
      detail: 'slack',
    },
  ],
  [
    'decided',
    {
      ...base,
      type: 'decided',
      recordedAt: ago(199),
      calls: [call],
      outcome: 'approved',
      decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' },
      reasonCode: 'approved',
    },
  ],
];
/** As the gate writes them. */
const items = ENTRIES.map(
  ([sort, entry]) => auditPut({ audit: 'audit', state: 'state' }, { key: { agent: 'builder', pid, sort }, entry }).Item,
);

/** The items of the partition that is asked for. */
const partitionOf =
  (all: readonly PutItemCommandInput['Item'][]) =>
  ({ ExpressionAttributeValues: values }: Readonly<Record<string, unknown>>) => {
    const asked = (values as Record<string, { readonly S?: string }>)[':pk']?.S;
    return { Items: all.filter((item) => item?.['pk']?.S === asked) };
  };

describe('audit', () => {
  test('the trail of one proposal, readable on 100 columns; nothing in it takes effect', async () => {
    aws = await fakeAws({ Query: partitionOf(items) });
    const ran = await cli(['audit', 'p-1', '--agent', 'builder'], { env });
    expect(ran).toMatchObject({ code: 0, err: '' });
    await expect(ran.out).toMatchFileSnapshot('golden/audit.txt');
    for (const line of ran.out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(acts(ran.out)).toBe(false);
    const partitions = aws.asked.map(({ body }) => JSON.stringify(body['ExpressionAttributeValues']));
    expect(partitions).toContain(JSON.stringify({ ':pk': { S: `builder#${pid}` } }));
  });

  test('a decision by a rule is a row with the rule itself, not with its number', () => {
    const decidedBy = { type: 'rule', id: rule.id } as const;
    const entry: AuditEntry = { ...base, type: 'decided', recordedAt: ago(1), outcome: 'approved', decidedBy };
    const key = { agent: 'builder', pid, sort: 'decided' };
    const calls = [call];
    expect(rowOf({ key, entry: { ...entry, calls } }, { withId: false }).slice(3, 5)).toEqual([
      'rule',
      'ask Bash(git push:*)',
    ]);
    expect(rowOf({ key, entry }, { withId: false }).slice(3, 5)).toEqual(['rule project:2', '']);
  });

  test('shows the call and the names of people, where they are known', async () => {
    const calls = [{ id: 'call', toolName: 'Bash', input: { command: 'git push origin main' } }];
    const body = JSON.stringify({ kind: 'tool-call', proposalId: 'p-1', calls });
    const text = marshall({ pk: `approval#${pid}`, sk: 'proposal', body });
    aws = await fakeAws({ Query: partitionOf(items), BatchGetItem: () => ({ Responses: { state: [text] } }) });
    const known = { ...env, COUNTERSIGN_POLICY: 'people.yaml' };
    const { out } = await cli(['audit', 'p-1', '--agent', 'builder'], { env: known, columns: 200 });
    expect(out).toMatch(/evaluated {2}git push origin main {2}builder/);
    expect(out).toMatch(/vote {7}git push origin main {2}Alice Approver/);
    expect(out).toMatch(/decided {4}git push origin main {2}Alice Approver/);
    expect(out).toMatch(/call Bash {2}ffffffffffff {2}Alice Approver/);
  });

  test('calls people in the words of an operation by their names', () => {
    const about = 'U0BOB votes in the place of U0ALICE until 2026-11-24T10:00:00Z';
    const operation = { operationId: 'o1', kind: 'delegate', about, person: 'U0ALICE', to: 'U0BOB' };
    const entry: AuditEntry = { ...base, type: 'operation', recordedAt: ago(1), operation, accepted: true };
    const key = { agent: '-operations', pid, sort: 'operation#m1' };
    const nameOf = (user: string) => (user === 'U0ALICE' ? 'Alice Approver' : user);
    expect(rowOf({ key, entry }, { withId: false, nameOf })[1]).toBe(
      'operation U0BOB votes in the place of Alice Approver until 2026-11-24T10:00:00Z',
    );
  });

  test('a run says how it ended and how long it took, and a question of the agent that it was asked', () => {
    const key = { agent: 'builder', pid, sort: 'ran' };
    const ran = {
      callId: 'call',
      permitId: 'x',
      toolName: 'Bash',
      status: 'failed',
      durationMs: 1_200.4,
      auditDigest: null,
    };
    const entry = { ...base, type: 'ran', recordedAt: ago(1), ran: { ...ran, errorCode: 'TIMEOUT', by: 'holder' } };
    expect(rowOf({ key, entry: entry as unknown as AuditEntry }, { withId: false }).slice(1)).toEqual([
      ...['ran', 'Bash', '', '', 'failed: TIMEOUT in 1200 ms'],
    ]);
    const asked: AuditEntry = { ...base, type: 'evaluated', recordedAt: ago(1) };
    expect(rowOf({ key, entry: asked }, { withId: false }).at(-1)).toBe('ask');
  });

  test('breaks no id over lines where its output is no terminal', async () => {
    const id = '01234567-89ab-4cde-8f01-23456789abcd';
    const long = ENTRIES.map(
      ([sort, entry]) =>
        auditPut(
          { audit: 'audit', state: '' },
          { key: { agent: 'builder', pid, sort }, entry: { ...entry, proposalId: id } },
        ).Item,
    );
    const keys = ENTRIES.map(([sort]) => marshall({ pk: `builder#${pid}`, sk: sort }));
    aws = await fakeAws({ Query: () => ({ Items: keys }), BatchGetItem: () => ({ Responses: { audit: long } }) });
    const { out } = await cli(['audit', '--agent', 'builder'], { env, columns: Number.POSITIVE_INFINITY });
    expect(out.split('\n').filter((line) => line.includes(id))).toHaveLength(4);
    expect(out.split('\n')).toHaveLength(6);
  });

  test('prints a line of JSON for each entry', async () => {
    aws = await fakeAws({ Query: partitionOf(items) });
    const { lines, out } = await cli(['audit', 'p-1', '--agent', 'builder', '--json'], { env });
    expect(lines).toEqual(ENTRIES.map(([sort, entry]) => ({ sort, ...entry })));
    expect(acts(out)).toBe(false);
  });

  test('the newest entries of an agent', async () => {
    const keys = ENTRIES.map(([sort]) => marshall({ pk: `builder#${pid}`, sk: sort }));
    aws = await fakeAws({ Query: () => ({ Items: keys }), BatchGetItem: () => ({ Responses: { audit: items } }) });
    const ran = await cli(['audit', '--agent', 'builder', '--limit', '4'], { env });
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out.split('\n').filter((line) => line.includes('p-1')).length).toBe(4);
    expect(ran.out.indexOf('decided')).toBeLessThan(ran.out.indexOf('evaluated'));
  });

  test('a message to the task agent shows its decision and what was answered', async () => {
    const entry: AuditEntry = {
      type: 'evaluated',
      pid,
      proposalId: 'slack:1',
      agent: 'builder',
      recordedAt: ago(10),
      policyVersion: hex('e'),
      person: { team: 'T0DEMO', user: 'U0ALICE' },
      task: {
        timestamp: ago(10),
        conversation_id: '99999999-9999-4999-8999-999999999999',
        user_id: 'U0ALICE',
        input_message: 'show my tasks',
        classified_intent: 'LIST_TASKS',
        decision_type: 'INVOKE_TOOL',
        tool_calls: [{ tool_name: 'list_tasks', parameters: { user_id: 'U0ALICE' }, sequence: 1 }],
        response_preview: 'Here are your tasks:\n1. [ ] gym (pending)',
      },
    };
    const { Item } = auditPut(
      { state: '', audit: 'audit' },
      { key: { agent: 'builder', pid, sort: 'evaluated' }, entry },
    );
    aws = await fakeAws({ Query: partitionOf([Item]) });
    const ran = await cli(['audit', 'p-1', '--agent', 'builder'], { env });
    expect(ran.out).toContain('U0ALICE');
    expect(ran.out).toContain('INVOKE_TOOL: Here are your tasks: 1. [ ] gym');
    const { lines } = await cli(['audit', 'p-1', '--agent', 'builder', '--json'], { env });
    expect(lines).toEqual([{ sort: 'evaluated', ...entry }]);
  });

  test('a choice shows who and what decided, stage by stage, and what models said; nothing of it takes effect', async () => {
    const usage = { calls: 1, inputTokens: 900, outputTokens: 60 };
    const entry: AuditEntry = {
      ...base,
      type: 'decided',
      recordedAt: ago(10),
      outcome: 'answered',
      decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE,T0DEMO/U0BOB' },
      reasonCode: 'chosen',
      choice: {
        policy: 'risk-based',
        stages: [
          { place: 'composite.proposer/llm', outcome: 'chosen', flowId: 'release_escrow', usage },
          {
            place: 'composite.approver/human',
            outcome: 'approved',
            flowId: 'release_escrow',
            by: 'T0DEMO/U0ALICE,T0DEMO/U0BOB',
          },
          { place: 'composite', outcome: 'approver_approved', flowId: 'release_escrow' },
        ],
        usage: { ...usage, costMicroUsd: 3600, models: ['claude/m-1'] },
        exchanges: [
          {
            place: 'composite.proposer/llm',
            by: 'claude/m-1',
            asked: '{"available_actions":[]}\u001b[2J',
            answered: '{"action":{"flow_id":"release_escrow"}}',
          },
        ],
      },
    };
    const { Item } = auditPut(
      { state: '', audit: 'audit' },
      { key: { agent: 'builder', pid, sort: 'decided' }, entry },
    );
    aws = await fakeAws({ Query: partitionOf([Item]) });
    const ran = await cli(['audit', 'p-1', '--agent', 'builder'], { env });
    expect(ran).toMatchObject({ code: 0, err: '' });
    await expect(ran.out).toMatchFileSnapshot('golden/audit-choice.txt');
    for (const line of ran.out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(acts(ran.out)).toBe(false);
  });

  test('without --agent a proposal is looked for among all agents of the policy file', async () => {
    const known = { ...env, COUNTERSIGN_POLICY: 'policy.yaml' };
    aws = await fakeAws({ Query: partitionOf(items) });
    const [{ agent }] = (await cli(['audit', 'p-1', '--json'], { env: known })).lines as [{ readonly agent: string }];
    expect(agent).toBe('builder');
    const none = await cli(['audit', 'p-2'], { env: known });
    const err = 'countersign: Nothing is recorded of p-2 by builder, planner.\n';
    expect(none).toMatchObject({ code: 1, out: '', err });
  });

  test('agents that have a proposal of the same id are named', async () => {
    const known = { ...env, COUNTERSIGN_POLICY: 'policy.yaml' };
    aws = await fakeAws({ Query: () => ({ Items: items }) });
    const ran = await cli(['audit', 'p-1'], { env: known });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('several agents have a proposal p-1: give --agent builder or --agent planner');
  });

  test('without a filter and an agent, of all agents of the policy file', async () => {
    aws = await fakeAws({ Query: () => ({ Items: [] }) });
    const ran = await cli(['audit'], { env: { ...env, COUNTERSIGN_POLICY: 'policy.yaml' } });
    expect(ran).toMatchObject({ code: 0, out: 'Nothing is recorded of builder, planner.\n' });
  });

  test('the entries of several agents name theirs, for a decision’s row names who decided', async () => {
    const keys = ENTRIES.map(([sort]) => marshall({ pk: `builder#${pid}`, sk: sort }));
    aws = await fakeAws({
      Query: (input) => ({ Items: JSON.stringify(input).includes('planner') ? [] : keys }),
      BatchGetItem: () => ({ Responses: { audit: items } }),
    });
    const known = { env: { ...env, COUNTERSIGN_POLICY: 'policy.yaml' }, columns: 200 };
    const [headings, ...rows] = (await cli(['audit'], known)).out.trimEnd().split('\n');
    expect(headings).toMatch(/OUTCOME +AGENT +PROPOSAL$/);
    expect(rows.filter((row) => / builder +p-1$/.test(row))).toHaveLength(4);
    expect((await cli(['audit', '--agent', 'builder'], known)).out).not.toContain('AGENT');
  });

  test('says where nothing is recorded of operators, or of unregistered senders', async () => {
    aws = await fakeAws({ Query: () => ({ Items: [] }) });
    expect((await cli(['audit', '--operations'], { env })).out).toBe('Nothing is recorded of -operations.\n');
    expect((await cli(['audit', '--unregistered'], { env })).out).toBe('Nothing is recorded of -unregistered.\n');
  });

  test.each([
    [['audit'], 'name the agent with --agent'],
    [['audit', '--agent', 'a', '--operations'], 'cannot be used with'],
    [['audit', '--unregistered', '--operations'], 'cannot be used with'],
    [['audit', '--unregistered', '--agent', 'a'], 'cannot be used with'],
    [['audit', 'p-1', '--operations'], 'a proposal belongs to an agent: leave --operations away'],
    [['audit', 'p-1', '--outcome', 'denied'], '--outcome is for a list of entries: leave it or the proposal away'],
    [['audit', 'p-1', '--since', '1h'], '--since is for a list of entries'],
    [['audit', 'p-1', '--tool', 'Bash'], '--tool is for a list of entries'],
    [['audit', 'p-1', '--unregistered'], 'a proposal belongs to an agent: leave --unregistered away'],
    [['audit', '--agent', 'a', '--limit', '0'], '--limit takes a number from 1 to 100'],
  ])('not understood: %j', async (argv, says) => {
    const ran = await cli(argv, { env });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(says);
  });

  test('what is not set is named with where to get it', async () => {
    const ran = await cli(['audit', 'p-1', '--agent', 'a'], { env: { COUNTERSIGN_AUDIT_TABLE: 'audit' } });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(
      "COUNTERSIGN_DEPLOYMENT is not set: export it or give --deployment. It is the stack's output Deployment",
    );
  });
});
