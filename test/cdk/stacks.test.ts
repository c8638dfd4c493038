/**
 * Checks agents in stacks and apps of their own.
 *
 * Every edge leads from the agent to the gate, and outputs tell programs everything that they need.
 */
import { type App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ContainerImage, FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { AccountRootPrincipal, type Grant, Role, User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { Countersign, type ICountersign } from '../../cdk/index.ts';
import { readSenderParameter } from '../../shared/config/sender-path.ts';
import { CANARY } from '../../shared/domain/canary.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID, POLICY } from './support/run-app.ts';
import { rightsOf } from './support/statements.ts';
import { all, type TemplateJson } from './support/template.ts';

/** A gate in one stack, and another stack for agents. */
function twoStacks() {
  const app = newApp();
  const mine = new Stack(app, 'Mine');
  const gate = new Countersign(mine, 'Gate', { policyFile: POLICY, slackAppId: APP_ID, deployment: 'shared' });
  return { app, mine, other: new Stack(app, 'Other'), gate };
}

const functionIn = (stack: Stack, id = 'Agent') =>
  new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => 1;'),
  });

function synthesised(app: App, name: string) {
  const assembly = app.synth();
  const artifact = assembly.getStackByName(name);
  return {
    template: artifact.template as TemplateJson,
    needs: artifact.dependencies.map(({ id }) => id).filter((id) => !id.endsWith('.assets')),
  };
}

const sendersOf = (template: TemplateJson) =>
  all<{ Name: string; Value: unknown }>(template, 'AWS::SSM::Parameter').flatMap(({ properties }) => {
    const sender = readSenderParameter('/shared/senders', properties.Name);
    return sender && sender.name !== CANARY
      ? [`${sender.kind} ${sender.name} ${JSON.stringify(properties.Value)}`]
      : [];
  });

const variablesOf = (template: TemplateJson, type: string) => {
  const [found] = all<{
    Environment?: { Variables: Record<string, unknown> };
    ContainerDefinitions?: { Environment: { Name: string; Value: unknown }[] }[];
  }>(template, type);
  const listed = found?.properties.ContainerDefinitions?.[0]?.Environment.map(({ Name, Value }) => [Name, Value]);
  return listed ? (Object.fromEntries(listed) as Record<string, unknown>) : found?.properties.Environment?.Variables;
};

const CLIENT = ['COUNTERSIGN_AGENT', 'COUNTERSIGN_AUDIT_TABLE', 'COUNTERSIGN_DEPLOYMENT', 'COUNTERSIGN_QUEUE_URL'];

describe('an agent in a stack of its own', () => {
  test('a function is connected: its stack needs the gate, and never the other way round', () => {
    const { app, other, gate } = twoStacks();
    gate.connect(functionIn(other), 'billing');
    const theirs = synthesised(app, 'Other');
    expect([synthesised(app, 'Mine').needs, theirs.needs]).toEqual([[], ['Mine']]);
    expect(Object.keys(variablesOf(theirs.template, 'AWS::Lambda::Function') ?? {}).sort()).toEqual(CLIENT);
    expect(sendersOf(theirs.template)).toEqual([
      expect.stringMatching(/^agents billing .*"Fn::GetAtt":\["Agent\w+","RoleId"\]/),
    ]);
    expect(sendersOf(synthesised(app, 'Mine').template)).toEqual([]);
    expect(rightsOf(theirs.template, 'AgentServiceRole').map((right) => right.split(' ')[0])).toContain(
      'sqs:SendMessage',
    );
  });

  test('an alias and an imported function are refused by name: they take no variables', () => {
    const { other, gate } = twoStacks();
    const alias: unknown = functionIn(other).addAlias('live');
    const imported: unknown = LambdaFunction.fromFunctionName(other, 'Theirs', 'theirs');
    for (const one of [alias, imported])
      expect(() => gate.connect(one as LambdaFunction, 'billing')).toThrow(/^connect: Other\/.* takes no variables/);
  });

  test('a container task is connected through the role of its task', () => {
    const { app, other, gate } = twoStacks();
    const task = new FargateTaskDefinition(other, 'Task');
    const container = task.addContainer('Agent', { image: ContainerImage.fromRegistry('example/agent') });
    gate.connect(container, 'billing', { redeem: true, execute: true });
    const { template } = synthesised(app, 'Other');
    expect(Object.keys(variablesOf(template, 'AWS::ECS::TaskDefinition') ?? {}).sort()).toEqual(
      [
        ...CLIENT,
        'COUNTERSIGN_EXECUTIONS_QUEUE_URL',
        'COUNTERSIGN_OUTCOMES_QUEUE_URL',
        'COUNTERSIGN_REDEEM_FUNCTION',
        'COUNTERSIGN_STATE_TABLE',
      ].sort(),
    );
    expect(rightsOf(template, 'TaskTaskRole').map((right) => right.split(' ')[0])).toContain('lambda:InvokeFunction');
  });

  test('a reply queue of its stack may be sent to, by its own policy', () => {
    const { app, other, gate } = twoStacks();
    gate.grantPropose(functionIn(other), 'billing', { replyQueue: new Queue(other, 'Replies') });
    const { template, needs } = synthesised(app, 'Other');
    expect(needs).toEqual(['Mine']);
    expect(JSON.stringify(all(template, 'AWS::SQS::QueuePolicy'))).toContain('sqs:SendMessage');
  });

  test('so may one with a key of that stack, by the key’s own policy', () => {
    const { app, other, gate } = twoStacks();
    const encryptionMasterKey = new Key(other, 'Key');
    gate.grantPropose(functionIn(other), 'billing', {
      replyQueue: new Queue(other, 'Replies', { encryptionMasterKey }),
    });
    const { template, needs } = synthesised(app, 'Other');
    expect(needs).toEqual(['Mine']);
    const [key] = all<{ KeyPolicy: { Statement: object[] } }>(template, 'AWS::KMS::Key');
    const [given] =
      key?.properties.KeyPolicy.Statement.filter((one) => JSON.stringify(one).includes('ViaService')) ?? [];
    expect(given).toMatchObject({ Action: ['kms:GenerateDataKey', 'kms:Decrypt'], Effect: 'Allow' });
    for (const role of ['Evaluate', 'Deliberate', 'Resume', 'Reconcile'])
      expect(JSON.stringify(given)).toMatch(new RegExp(`Fn::ImportValue[^}]*Gate${role}`));
  });

  test.each([
    ['of the gate, too', (key: Key) => ({ encryptionKey: key })],
    ['of the queue alone', () => ({})],
  ])('so may one with a key of a third stack, %s, which other stacks build on: it needs none of them', (_, propsOf) => {
    const app = newApp();
    const [keys, mine, other] = ['Keys', 'Mine', 'Other'].map((id) => new Stack(app, id)) as [Stack, Stack, Stack];
    const key = new Key(keys, 'Key');
    const gate = new Countersign(mine, 'Gate', { policyFile: POLICY, slackAppId: APP_ID, ...propsOf(key) });
    gate.grantPropose(functionIn(other), 'billing', {
      replyQueue: new Queue(other, 'Replies', { encryptionMasterKey: key }),
    });
    expect(synthesised(app, 'Keys').needs).toEqual([]);
    const { template } = synthesised(app, 'Mine');
    for (const role of ['Evaluate', 'Deliberate', 'Resume', 'Reconcile'])
      expect(rightsOf(template, `Gate${role}Role`).map((right) => right.split(' ')[0])).toContain(
        'kms:GenerateDataKey',
      );
  });

  test('a reply queue that would take no decision is refused', () => {
    const { other, gate } = twoStacks();
    const fifo = new Queue(other, 'Replies', { fifo: true });
    expect(() => gate.grantPropose(functionIn(other), 'billing', { replyQueue: fifo })).toThrow(
      'replyQueue: Other/Replies is a FIFO queue, and decisions have no order: give a standard one',
    );
    const mine = new Stack(newApp(), 'Here', { env: { account: '111122223333', region: 'eu-west-1' } });
    const here = new Countersign(mine, 'Gate', { policyFile: POLICY, slackAppId: APP_ID });
    const far = Queue.fromQueueArn(mine, 'Far', 'arn:aws:sqs:us-east-1:111122223333:replies');
    expect(() => here.grantPropose(functionIn(mine), 'billing', { replyQueue: far })).toThrow(
      'replyQueue: Here/Far is in us-east-1, and the gate in eu-west-1',
    );
  });

  test('the same grant twice is one, and gives a grant', () => {
    const { app, other, gate } = twoStacks();
    const agent = functionIn(other);
    const grant = gate.grantPropose(agent, 'billing');
    expectTypeOf(grant).toEqualTypeOf<Grant>();
    expect(grant.success).toBe(true);
    gate.grantPropose(agent, 'billing');
    gate.connect(agent, 'billing');
    const { template } = synthesised(app, 'Other');
    expect(sendersOf(template)).toHaveLength(1);
    const policies = all<{ PolicyDocument: { Statement: unknown[] } }>(template, 'AWS::IAM::Policy');
    const statements = policies.flatMap(({ properties }) =>
      properties.PolicyDocument.Statement.map((one) => JSON.stringify(one)),
    );
    expect(statements).toHaveLength(new Set(statements).size);
    expect(() => gate.grantPropose(agent, 'elsewhere')).toThrow('is already billing');
    expect(() => gate.grantPropose(agent, 'billing', { roleId: 'AROAEXAMPLE000000009' })).toThrow(
      'another roleId or replyQueue',
    );
  });

  test('a user is no sender, and is told so', () => {
    const { other, gate } = twoStacks();
    expect(() => gate.grantPropose(new User(other, 'Somebody'), 'billing')).toThrow('grantPropose needs a role');
  });
});

describe('an agent in an app of its own', () => {
  function anotherApp(use: (gate: ICountersign, stack: Stack) => void) {
    const app = newApp();
    const stack = new Stack(app, 'Elsewhere');
    use(Countersign.fromDeployment(stack, 'Gate', 'shared'), stack);
    return synthesised(app, 'Elsewhere').template;
  }

  test('reads the names that the gate published', () => {
    const { app } = twoStacks();
    const one = all<{ Name: string; Value: { 'Fn::Join': [string, unknown[]] } }>(
      synthesised(app, 'Mine').template,
      'AWS::SSM::Parameter',
    ).find(({ properties }) => properties.Name === '/shared/gate');
    expect(one?.properties.Value['Fn::Join']).toEqual([',', expect.arrayContaining(['shared'])]);
    const template = anotherApp((gate, stack) => gate.connect(functionIn(stack), 'billing', { redeem: true }));
    expect(JSON.stringify(template)).toContain('AWS::SSM::Parameter::Value<String>');
    expect(JSON.stringify(template)).toContain('/shared/gate');
    expect(variablesOf(template, 'AWS::Lambda::Function')).toMatchObject({
      COUNTERSIGN_AGENT: 'billing',
      COUNTERSIGN_DEPLOYMENT: 'shared',
      COUNTERSIGN_QUEUE_URL: { 'Fn::Select': [1, expect.anything()] },
    });
    expect(sendersOf(template)).toHaveLength(1);
  });

  test('operators and auditors get the same rights as in the app of the gate', () => {
    const count = (template: TemplateJson, role: string) => {
      const policies = all<{ Roles: unknown; PolicyDocument: { Statement: { Action: string }[] } }>(
        template,
        'AWS::IAM::Policy',
      );
      const own = policies.filter(({ properties }) => JSON.stringify(properties.Roles).includes(role));
      return own.flatMap(({ properties }) => properties.PolicyDocument.Statement.map(({ Action }) => Action)).sort();
    };
    const grant = (gate: ICountersign, stack: Stack) => {
      gate.grantOperate(new Role(stack, 'Oncall', { assumedBy: new AccountRootPrincipal() }), 'oncall');
      gate.grantAudit(new Role(stack, 'Auditor', { assumedBy: new AccountRootPrincipal() }));
    };
    const { app, other, gate } = twoStacks();
    grant(gate, other);
    const here = synthesised(app, 'Other').template;
    const there = anotherApp(grant);
    for (const role of ['Oncall', 'Auditor']) expect(count(there, role)).toEqual(count(here, role));
  });

  test('a reply queue is refused there', () => {
    expect(() =>
      anotherApp((gate, stack) =>
        gate.grantPropose(functionIn(stack), 'billing', { replyQueue: new Queue(stack, 'Replies') }),
      ),
    ).toThrow('replyQueue: grant it in the app that makes the gate');
  });
});

test('metrics of the gate carry its name', () => {
  const { gate } = twoStacks();
  expect(gate.metricDenied({ label: 'No' })).toMatchObject({
    namespace: 'Countersign',
    metricName: 'Decisions',
    statistic: 'Sum',
    label: 'No',
    dimensions: { service: 'shared', outcome: 'denied' },
  });
  expect(gate.metricWaiting().statistic).toBe('Maximum');
  expect(gate.metricDecisions().dimensions).toEqual({ service: 'shared' });
  expect(gate.metric('DecisionTime', { statistic: 'p99' }).statistic).toBe('p99');
  // @ts-expect-error no such metric is written
  expect(() => gate.metric('Nonsense')).toThrow();
});

test('nothing of the insides is public', () => {
  const { gate } = twoStacks();
  // @ts-expect-error queues are reached by `node.findChild` only
  expect(gate.queues).toBeUndefined();
  // @ts-expect-error so are tables
  expect(gate.tables).toBeUndefined();
  expectTypeOf(RemovalPolicy.SNAPSHOT).not.toExtend<
    NonNullable<ConstructorParameters<typeof Countersign>[2]['removalPolicy']>
  >();
});
