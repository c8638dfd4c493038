/** Checks rules that hold across the roles: who writes the record, votes, decisions, tokens and seals. */
import { describe, expect, inject, test } from 'vitest';
import { RECORD_FAMILIES } from '../../../shared/domain/record/record-families.ts';
import { rightsOf, type Statement, statementsOf } from '../support/statements.ts';
import { all, one, plain, type TemplateJson } from '../support/template.ts';

const template = JSON.parse(inject('production')) as TemplateJson;

const STATE = 'GateTablesState';
const AUDIT = 'GateTablesAudit';
const MACHINE = 'GateWorkflowStateMachine';
/** Entries of the record that have no family in their key. */
const DECISIONS = `${AUDIT} [not */*]`;

describe('across all roles', () => {
  const everyone = all(template, 'AWS::IAM::Role').map(({ id }) => plain(id));
  const whoMay = (right: RegExp) =>
    everyone.filter((role) => rightsOf(template, role).some((line) => right.test(line)));

  test("G40 nobody may change or delete what is on the record, nor any row wholesale, nor any row but a user's own task", () => {
    expect(whoMay(/^dynamodb:(Update|Delete|BatchWrite|PartiQL|\*)\w* GateTablesAudit/)).toEqual([]);
    expect(whoMay(/^dynamodb:(BatchWriteItem|DeleteTable|\*)/)).toEqual([]);
    // To verify the record is to read all of it.
    expect(whoMay(/^dynamodb:Scan/)).toEqual(['AuditorRole']);
    expect(whoMay(/^dynamodb:DeleteItem (?!GateTablesState \[task#\*\]$)/)).toEqual([]);
  });

  test('G47 only what decides may write a decision, and none of them may write a vote', () => {
    const deciders = ['Deliberate', 'Evaluate', 'Reconcile', 'Resume'].map((name) => `Gate${name}Role`);
    const puts = (role: string) =>
      rightsOf(template, role).filter((right) => right.startsWith(`dynamodb:PutItem ${AUDIT}`));
    expect(everyone.filter((role) => puts(role).includes(`dynamodb:PutItem ${DECISIONS}`)).sort()).toEqual(deciders);
    for (const right of everyone.flatMap(puts)) expect(right).toMatch(/ \[(not \*\/\*|([a-z]+\/\* ?)+)\]$/);
    const granted = new Set(everyone.flatMap(puts).flatMap((right) => right.match(/[a-z]+(?=\/\*[\] ])/g) ?? []));
    expect([...granted].sort()).toEqual(RECORD_FAMILIES.filter((family) => family !== 'decision').toSorted());
    const voters = everyone.filter((role) => puts(role).some((right) => right.includes('vote/')));
    expect(voters.sort()).toEqual(['GateOperateRole', 'GateSlackRole']);
  });

  test('G40 who votes or draws cards changes those attributes of an approval, and puts no row of it', () => {
    const updates = (role: string) =>
      statementsOf(template, role).filter(
        ({ Action, Condition }) =>
          [Action].flat().includes('dynamodb:UpdateItem') && JSON.stringify(Condition).includes('approval#'),
      );
    const attributes = (name: string) =>
      updates(`Gate${name}Role`).map(({ Condition }) => Condition?.['ForAllValues:StringEquals']);
    const looks = ['look', 'lookAt', 'due', 'dueAt'];
    const voted = ['approval', 'additions', 'version', 'counted', 'quietUntil', ...looks];
    expect({ slack: attributes('Slack'), operate: attributes('Operate'), slackOut: attributes('SlackOut') }).toEqual({
      slack: [{ 'dynamodb:Attributes': ['pk', 'sk', ...voted, 'card', 'ttl'] }],
      operate: [{ 'dynamodb:Attributes': ['pk', 'sk', ...voted] }],
      slackOut: [
        { 'dynamodb:Attributes': ['pk', 'sk', 'card', 'ttl', 'cardProblem', ...looks, 'failures', 'version'] },
      ],
    });
    for (const { Condition } of ['Slack', 'Operate', 'SlackOut'].flatMap((name) => updates(`Gate${name}Role`)))
      expect(Condition).toMatchObject({
        Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
        StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
      });
    expect(whoMay(/PutItem GateTablesState \[approval#/).sort()).toEqual(['GateDeliberateRole', 'GateEvaluateRole']);
  });

  test('A2 to a queue whose senders are believed send the senders themselves, and the functions that must', () => {
    const senders = (queue: string) => whoMay(new RegExp(`^sqs:SendMessage GateQueues${queue}(?![a-z])`)).sort();
    const agents = ['AgentRolebilling', 'AgentRoleopsnightshift'];
    expect(senders('Proposals')).toEqual([...agents, 'GateCanaryRole']);
    expect(senders('Operators')).toEqual(['GateSlackRole', 'OperatorRoleoncall']);
    expect(senders('Executions')).toEqual([...agents, 'GateExecuteToolRole']);
    // The canary is a sender of its own name, as an agent is.
    expect(senders('Outcomes')).toEqual([...agents, 'GateCanaryRole']);
    expect(senders('Talk')).toEqual(['GateSlackRole']);
    expect(whoMay(/^sqs:SendMessage GateQueues\w+Dead/)).toEqual([]);
  });

  test('A12, A18b only what decides may put a message aside or hand over a run that needs a model', () => {
    const deciding = ['Deliberate', 'Evaluate', 'Reconcile', 'Resume'].map((name) => `Gate${name}Role`);
    expect(whoMay(/^sqs:SendMessage GateQueuesDeferred/).sort()).toEqual(deciding);
  });

  test('the task token is written by one function, and read by those who may wake the workflow', () => {
    expect(whoMay(/PutItem GateTablesState \[token#/)).toEqual(['GateRequestApprovalRole']);
    expect(whoMay(/GetItem GateTablesState \[token#/).sort()).toEqual(whoMay(/states:SendTaskSuccess/).sort());
  });

  test('A20 what is sealed is opened by those who decide again or run it; whoever seals cannot open, and none of them may do more with the key', () => {
    const openers = ['GateExecuteToolRole', 'GateRedeemRole', 'GateResumeRole'];
    expect(whoMay(/^kms:\w+ GateSealKey/).sort()).toEqual(['GateDeliberateRole', 'GateEvaluateRole', ...openers]);
    expect(whoMay(/^kms:Decrypt GateSealKey/).sort()).toEqual(openers);
    expect(whoMay(/(GetItem|Query) GateTablesState \[.*sealed#/).sort()).toEqual(openers);
  });

  test('A25 no role writes both the record and its archive; one signs seals, and nobody deletes or unlocks', () => {
    const archivers = whoMay(/^s3:PutObject GateRecordBucket/).sort();
    expect(archivers).toEqual(['GateArchiveAuditRole', 'GateSealRole']);
    expect(archivers.filter((role) => whoMay(/^dynamodb:\w*(Put|Update|Delete|Write)/).includes(role))).toEqual([]);
    expect(whoMay(/^kms:Sign/)).toEqual(['GateSealRole']);
    expect(whoMay(/^s3:(Delete|Bypass|PutObjectRetention|PutBucket|\*)/)).toEqual([]);
  });

  test('A25 slack cannot touch task tokens, sessions, rules, grants, journals, counters or the pause, which it reads; it lists sessions by their index', () => {
    const touched = rightsOf(template, 'GateSlackRole').filter((right) => right.includes(STATE));
    const known = 'alias#* approval#* approvals#* voted#* control delegations'.split(' ');
    const named = new Set(touched.map((right) => right.match(/\[(.*)\]/)?.[1]));
    expect(named).toEqual(new Set([...known, 'due sessions#*']));
    expect(touched.filter((right) => right.includes('session'))).toEqual([
      `dynamodb:Query ${STATE}/index/byDue [due sessions#*]`,
    ]);
    for (const read of ['control', 'delegations'])
      expect(touched.filter((right) => right.includes(read))).toEqual([`dynamodb:GetItem ${STATE} [${read}]`]);
  });

  test('every right on rows of state names its rows, and refuses a request that names none', () => {
    const onState = everyone
      .flatMap((role) => statementsOf(template, role))
      .filter(({ Resource }) => JSON.stringify(Resource).includes(one(template, 'AWS::DynamoDB::Table', STATE).id));
    expect(onState.length).toBeGreaterThan(20);
    for (const { Condition } of onState as Statement[]) {
      expect(Condition?.['ForAllValues:StringLike']).toHaveProperty('dynamodb:LeadingKeys');
      expect(Condition?.['Null']).toMatchObject({ 'dynamodb:LeadingKeys': 'false' });
    }
  });

  test('nobody may everything: the only wildcard resources are tracing, log delivery, alarms and metrics', () => {
    const wild = everyone.flatMap((role) => rightsOf(template, role)).filter((right) => right.endsWith(' *'));
    // The list of streams can be read for the whole account only; none of them is read by it.
    const known = /^(xray:|logs:|dynamodb:ListStreams |cloudwatch:(DescribeAlarms|GetMetricData) )/;
    expect(wild.filter((right) => !known.test(right))).toEqual([]);
  });

  test('the workflow calls its two functions and no other', () => {
    const called = rightsOf(template, `${MACHINE}Role`).filter((right) => right.startsWith('lambda:'));
    expect(called).toEqual([
      'lambda:InvokeFunction GateRequestApprovalFunction',
      'lambda:InvokeFunction GateResumeFunction',
    ]);
  });
});
