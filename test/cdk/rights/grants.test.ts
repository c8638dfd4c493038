/** Checks the rights that the construct grants to agents, tool servers and operators. */
import { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, ArnPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, inject, test } from 'vitest';
import { Countersign } from '../../../cdk/constructs/countersign.ts';
import { FUNCTIONS } from '../../../cdk/constructs/functions/function-names.ts';
import { ENTRANCES } from '../../../shared/config/live-alias.ts';
import { readSenderParameter } from '../../../shared/config/sender-path.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY } from '../support/run-app.ts';
import { nameOf, rightsOf, statementsOf } from '../support/statements.ts';
import { all, type TemplateJson, target } from '../support/template.ts';

const production = JSON.parse(inject('production')) as TemplateJson;

const QUEUES = ['Proposals', 'Deferred', 'Operators', 'Executions', 'Outcomes', 'Cards', 'Talk', 'Webhooks'].flatMap(
  (name) => [`GateQueues${name}`, `GateQueues${name}Dead`],
);
/** Rights of `countersign status`. */
const pascal = (name: string) => name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
const STATUS = [
  'cloudwatch:DescribeAlarms *',
  'cloudwatch:GetMetricData *',
  'dynamodb:BatchGetItem GateTablesState [alias#*]',
  'dynamodb:BatchGetItem GateTablesState [approval#*]',
  'dynamodb:GetItem GateTablesState [control delegations]',
  'dynamodb:Query GateTablesState [approval#*]',
  'dynamodb:Query GateTablesState/index/byDue [due sessions#*]',
  'dynamodb:Query GateTablesState/index/byLook [approvals#*]',
  ...FUNCTIONS.map((name) => `lambda:GetFunctionConfiguration Gate${pascal(name)}Function`),
  ...ENTRANCES.flatMap((name) => [
    `lambda:GetAlias Gate${pascal(name)}Function`,
    `lambda:GetFunctionConfiguration Gate${pascal(name)}Function:*`,
  ]),
  ...FUNCTIONS.map((name) => `logs:FilterLogEvents Gate${pascal(name)}Log`),
  'states:DescribeExecution arn:AWS::Partition:states:AWS::Region:AWS::AccountId:execution:GateWorkflowStateMachine:*',
  ...QUEUES.flatMap((name) => [`sqs:GetQueueAttributes ${name}`, `sqs:GetQueueUrl ${name}`]),
];

interface Parameter {
  readonly Name: string;
  readonly Value: unknown;
}
const parametersOf = (template: TemplateJson) =>
  all<Parameter>(template, 'AWS::SSM::Parameter')
    .map(({ properties }) => properties)
    .filter(({ Name }) => Name.includes('/senders/') && !Name.includes('/-canary/'));

/** A stack of somebody else with a gate in it. */
function world() {
  const app = newApp();
  const stack = new Stack(app, 'Theirs');
  const gate = new Countersign(stack, 'Gate', { policyFile: POLICY, slackAppId: APP_ID, deployment: 'theirs' });
  const role = (id: string) => new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
  const template = () => app.synth().getStackByName('Theirs').template as TemplateJson;
  return { stack, gate, role, template };
}

describe('a principal that no policy of this account and region reaches is refused', () => {
  const [here, elsewhere] = ['111111111111', '222222222222'];
  const app = newApp();
  const env = { account: here, region: 'eu-west-1' };
  const gate = new Countersign(new Stack(app, 'Here', { env }), 'Gate', { policyFile: POLICY, slackAppId: APP_ID });
  const stack = new Stack(app, 'Elsewhere', { env: { account: elsewhere, region: 'eu-west-1' } });
  const far = new Stack(app, 'Far', { env: { account: here, region: 'us-east-1' } });
  const assumedBy = new AccountRootPrincipal();
  const theirs = Role.fromRoleArn(far, 'Theirs', `arn:aws:iam::${elsewhere}:role/tools`);

  test.each<[string, () => unknown, string]>([
    ['an agent', () => gate.grantPropose(new Role(stack, 'Agent', { assumedBy }), 'billing'), `account ${elsewhere}`],
    [
      'an operator',
      () => gate.grantOperate(new Role(stack, 'Oncall', { assumedBy }), 'oncall'),
      `account ${elsewhere}`,
    ],
    ['an auditor', () => gate.grantAudit(theirs), `account ${elsewhere}`],
    ['a tool server', () => gate.grantRedeem(theirs), `account ${elsewhere}`],
    [
      'a name without a role',
      () => gate.grantAudit(new ArnPrincipal(`arn:aws:iam::${here}:role/x`)),
      'could not be added',
    ],
    [
      'an agent of another region',
      () => gate.grantPropose(new Role(far, 'Agent', { assumedBy }), 'billing'),
      'us-east-1',
    ],
  ])('%s', (_, grant, problem) => {
    expect(grant).toThrow(problem);
  });

  test('an id of a role is told from its name and its ARN', () => {
    const { gate: near, stack: same } = world();
    const role = Role.fromRoleName(same, 'Named', 'billing');
    for (const roleId of ['billing', `arn:aws:iam::${here}:role/billing`])
      expect(() => near.grantPropose(role, 'billing', { roleId })).toThrow(`roleId: ${roleId} is no id of a role`);
  });

  test('where a stack does not say its account, any role may be of it', () => {
    const { gate: near, stack: same } = world();
    const role = Role.fromRoleArn(same, 'Any', `arn:aws:iam::${elsewhere}:role/any`);
    expect(() => near.grantAudit(role)).not.toThrow();
  });
});

describe('grantPropose (A13)', () => {
  test('gives the right to send proposals, executions and outcomes, to read own decisions and results, and nothing else', () => {
    expect(rightsOf(production, 'AgentRolebilling')).toEqual([
      'dynamodb:GetItem GateTablesAudit [billing#*]',
      'dynamodb:GetItem GateTablesState [result#billing#*]',
      'sqs:SendMessage GateQueuesExecutions',
      'sqs:SendMessage GateQueuesOutcomes',
      'sqs:SendMessage GateQueuesProposals',
    ]);
    const read = statementsOf(production, 'AgentRolebilling').find(({ Action }) => Action === 'dynamodb:GetItem');
    expect(read?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['billing#*'] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'verdict', 'decision'] },
      Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
      StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    });
  });

  test('A2 registers the unique id of the role as the agent, under a name that SSM takes', () => {
    const senders = parametersOf(production).map(({ Name, Value }) => {
      expect(Name).toMatch(/^[A-Za-z0-9_.\-/]+$/);
      return { ...readSenderParameter('/Gate-Test/senders', Name), value: JSON.stringify(Value) };
    });
    expect(senders.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      'agents billing',
      'agents ops:night_shift',
      'operators oncall',
    ]);
    for (const { value } of senders) expect(value).toMatch(/senderId.*"Fn::GetAtt":\["\w+","RoleId"\]/);
  });

  test('grantRedeem lets a tool server redeem and report, and nothing else (A19)', () => {
    const { gate, role, template } = world();
    gate.grantRedeem(role('Tools'));
    expect(rightsOf(template(), 'Tools')).toEqual([
      'lambda:InvokeFunction GateRecordOutcomeFunction',
      'lambda:InvokeFunction GateRedeemFunction',
    ]);
  });

  test('a reply queue is registered, and only who decides may send to it', () => {
    const { stack, gate, role, template } = world();
    gate.grantPropose(role('Agent'), 'billing', { replyQueue: new Queue(stack, 'Replies', { enforceSSL: true }) });
    const made = template();
    expect(JSON.stringify(parametersOf(made)[0]?.Value)).toContain('replyQueueUrl');
    const alarms = all<{ MetricName: string; AlarmDescription: string; Dimensions: unknown[] }>(
      made,
      'AWS::CloudWatch::Alarm',
    ).filter(({ properties }) => properties.MetricName === 'RepliesLost');
    expect(alarms).toHaveLength(1);
    expect(alarms[0]?.properties.AlarmDescription).toContain('billing');
    expect(alarms[0]?.properties.Dimensions).toContainEqual({ Name: 'agent', Value: 'billing' });
    const senders = all(made, 'AWS::IAM::Role')
      .map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))
      .filter((name) => rightsOf(made, name).includes('sqs:SendMessage Replies'));
    expect(senders.sort()).toEqual(['GateDeliberateRole', 'GateEvaluateRole', 'GateReconcileRole', 'GateResumeRole']);
  });

  test('an agent that the policy file does not declare is refused', () => {
    const { gate, role } = world();
    expect(() => gate.grantPropose(role('Agent'), 'ghost')).toThrow('the policy file declares no agent named ghost');
    expect(() => gate.grantPropose(role('Other'), 'toString')).toThrow('no agent named toString');
  });

  test('an imported role needs its id, and is registered by it', () => {
    const { stack, gate, template } = world();
    const imported = Role.fromRoleName(stack, 'Imported', 'somebody');
    expect(() => gate.grantPropose(imported, 'billing')).toThrow('an imported role needs its roleId');
    gate.grantPropose(imported, 'billing', { roleId: 'AROAEXAMPLE000000002' });
    expect(parametersOf(template()).map(({ Value }) => Value)).toEqual(['{"senderId":"AROAEXAMPLE000000002"}']);
  });

  test('one role cannot be two agents; two roles may be one', () => {
    const { gate, role, template } = world();
    const first = role('First');
    gate.grantPropose(first, 'billing');
    expect(() => gate.grantPropose(first, 'elsewhere')).toThrow('Theirs/First is already billing');
    gate.grantPropose(role('Second'), 'billing');
    expect(parametersOf(template())).toHaveLength(2);
  });

  test('nor an agent and an operator, who votes: as in the policy file', () => {
    const { gate, role } = world();
    const first = role('First');
    gate.grantPropose(first, 'billing');
    expect(() => gate.grantOperate(first, 'oncall')).toThrow(
      'Theirs/First is already the agent billing: one role cannot be the operator oncall too',
    );
    const second = role('Second');
    gate.grantOperate(second, 'oncall');
    expect(() => gate.grantPropose(second, 'billing')).toThrow('Theirs/Second is already the operator oncall');
  });

  test('nor one that was imported twice: its id is the same', () => {
    const { stack, gate } = world();
    const roleId = 'AROAEXAMPLE000000002';
    const [one, again] = ['One', 'Again'].map((id) => Role.fromRoleName(stack, id, 'somebody'));
    if (!one || !again) throw new Error('both are made');
    gate.grantPropose(one, 'billing', { roleId });
    expect(() => gate.grantPropose(again, 'elsewhere', { roleId })).toThrow('Theirs/Again is already billing');
    expect(() => gate.grantOperate(again, 'oncall', { roleId })).toThrow('Theirs/Again is already the agent billing');
  });

  test('but another region has a gate of its own, for which the same role may be another one', () => {
    const app = newApp();
    const roleId = 'AROAEXAMPLE000000002';
    const [one, other] = ['eu-west-1', 'us-east-1'].map((region) => {
      const stack = new Stack(app, region, { env: { account: '111122223333', region } });
      return {
        gate: new Countersign(stack, 'Gate', { policyFile: POLICY, slackAppId: APP_ID, deployment: 'same' }),
        role: Role.fromRoleName(stack, 'Agent', 'somebody'),
      };
    });
    if (!one || !other) throw new Error('both are made');
    one.gate.grantPropose(one.role, 'billing', { roleId });
    expect(() => other.gate.grantOperate(other.role, 'oncall', { roleId })).not.toThrow();
  });
});

describe('grantOperate (A5)', () => {
  test('gives the right to send to the operators queue, to read what operators change, to have the canary run, and nothing else', () => {
    expect(rightsOf(production, 'OperatorRoleoncall')).toEqual(
      [
        'dynamodb:BatchGetItem GateTablesAudit [operation/-operations#* -operations#* refusal/-dead-letters#*]',
        'dynamodb:Query GateTablesAudit [operation/-operations#* -operations#*]',
        'dynamodb:Query GateTablesAudit/index/byAgent [-operations -dead-letters]',
        'dynamodb:Query GateTablesAudit/index/byFacet [-operations]',
        'lambda:InvokeFunction GateCanaryFunction',
        'sqs:SendMessage GateQueuesOperators',
        ...STATUS,
      ].sort(),
    );
  });

  test('every queue of the gate, and its dead letters, may be counted', () => {
    const queues = all(production, 'AWS::SQS::Queue').map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''));
    expect(queues.sort()).toEqual([...QUEUES].sort());
  });

  test('an operator that the policy file does not declare is refused', () => {
    const { gate, role } = world();
    expect(() => gate.grantOperate(role('Operator'), 'billing')).toThrow('declares no operator named billing');
  });
});

test('grantAudit lets read the record, what waits and what holds, and change nothing', () => {
  expect(rightsOf(production, 'AuditorRole')).toEqual(
    [
      'dynamodb:BatchGetItem GateTablesAudit',
      'dynamodb:Query GateTablesAudit',
      'dynamodb:Query GateTablesAudit/index/byAgent',
      'dynamodb:Query GateTablesAudit/index/byFacet',
      'dynamodb:Scan GateTablesAudit',
      'kms:GetPublicKey GateRecordSigningKey',
      's3:GetObject GateInputs/record/*',
      's3:GetObject GateInputs/shown/*',
      's3:GetObject GateRecordBucket/*',
      's3:ListBucket GateRecordBucket',
      'secretsmanager:GetSecretValue GateDigestKey',
      ...STATUS,
    ].sort(),
  );
});

test('who names its sender in the policy file gets no role', () => {
  const roles = all(production, 'AWS::IAM::Role').map(({ id }) => id);
  expect(roles.some((id) => id.includes('elsewhere'))).toBe(false);
  expect(Object.keys(production.Outputs ?? {})).toContain('AgentRolebillingArn');
  expect(nameOf(production.Outputs?.['AgentRolebillingArn']?.Value)).toBe('AgentRolebilling');
  expect(target(production.Outputs?.['AuditTable']?.Value)).toMatch(/^GateTablesAudit/);
});

test.each(['operator', 'auditor'])(
  'the rights of an imported role as %s fit its own policies, which the CDK cannot split',
  (kind) => {
    const app = newApp({ context: { '@aws-cdk/aws-iam:minimizePolicies': true } });
    const gate = new Countersign(new Stack(app, 'Mine'), 'Gate', { policyFile: POLICY, slackAppId: APP_ID });
    const theirs = new Stack(app, 'Theirs');
    const role = Role.fromRoleName(theirs, 'Imported', 'somebody');
    if (kind === 'operator') gate.grantOperate(role, 'oncall', { roleId: 'AROAEXAMPLE000000002' });
    else gate.grantAudit(role);
    const template = app.synth().getStackByName('Theirs').template as TemplateJson;
    const texts = all<{ PolicyDocument: unknown }>(template, 'AWS::IAM::Policy').map(({ properties }) =>
      JSON.stringify(properties.PolicyDocument, (_, value) =>
        value?.['Fn::Join'] ? deployed(value) : value?.['Fn::ImportValue'] ? ARN : value,
      ),
    );
    expect(texts).toHaveLength(1);
    expect(texts.join('').length).toBeLessThan(10_240);
  },
);

/** As long as an ARN of a stack with a long name. */
const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:Countersign-GateEvaluateFunctionA1B2C3D4-AbCdEfGhIjKl';
const deployed = ({ 'Fn::Join': [, parts] }: { readonly 'Fn::Join': readonly [string, readonly unknown[]] }): string =>
  parts
    .map((part) =>
      typeof part === 'string' ? part : JSON.stringify(part).includes('ImportValue') ? ARN : 'eu-central-1',
    )
    .join('');
