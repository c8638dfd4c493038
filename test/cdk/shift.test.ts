/** Checks that a new version of each entrance takes its calls by and by, until an alarm stands. */
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, inject, test } from 'vitest';
import { Countersign, type CountersignProps } from '../../cdk/constructs/countersign.ts';
import { SHIFTS, type Shift } from '../../cdk/constructs/props/props.ts';
import { ENTRANCES } from '../../shared/config/live-alias.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID, POLICY } from './support/run-app.ts';
import { rightsOf, statementsOf } from './support/statements.ts';
import { all, behind, plain, type TemplateJson, target } from './support/template.ts';

const production = JSON.parse(inject('production')) as TemplateJson;
const development = JSON.parse(inject('development')) as TemplateJson;
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

interface Alias {
  readonly Name: string;
  readonly FunctionName: unknown;
  readonly FunctionVersion: unknown;
}
interface Group {
  readonly DeploymentConfigName: string;
  readonly AlarmConfiguration?: { readonly Enabled: boolean; readonly Alarms: { readonly Name: unknown }[] };
  readonly AutoRollbackConfiguration: { readonly Enabled: boolean; readonly Events: string[] };
}

const agentIn = (stack: Stack) =>
  new LambdaFunction(stack, 'Agent', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('//'),
  });

function synthesised(props: Partial<CountersignProps>): TemplateJson {
  const stack = new Stack(newApp(), 'S');
  const gate = new Countersign(stack, 'Gate', { policyFile: POLICY, slackAppId: APP_ID, ...props });
  gate.connect(agentIn(stack), 'billing', { redeem: true });
  return Template.fromStack(stack).toJSON() as TemplateJson;
}

/** Several tests look at each: a template takes most of a second. */
const worlds = new Map<Shift, TemplateJson>();

/** A gate, with an agent of its stack that redeems. */
function world(shift: Shift): TemplateJson {
  const template = worlds.get(shift) ?? synthesised({ shift });
  worlds.set(shift, template);
  return template;
}
const typesIn = ({ Resources }: TemplateJson) => new Set(Object.values(Resources).map(({ Type }) => Type));
const groupsOf = (template: TemplateJson) => all<Group>(template, 'AWS::CodeDeploy::DeploymentGroup');

describe.each(ENTRANCES)('%s', (name) => {
  const alias = all<Alias>(production, 'AWS::Lambda::Alias').find(({ id }) => plain(id) === `Gate${pascal(name)}Live`);
  const group = groupsOf(production).find(({ id }) => plain(id) === `GateShift${name}`);

  test('has an alias on the version that is deployed, which CodeDeploy moves', () => {
    expect(alias?.properties.Name).toBe('live');
    expect(plain(target(alias?.properties.FunctionName))).toBe(`Gate${pascal(name)}Function`);
    const version = behind<{ FunctionName: unknown }>(production, alias?.properties.FunctionVersion);
    expect(version.FunctionName).toEqual(alias?.properties.FunctionName);
    const resource = production.Resources[alias?.id ?? ''] as unknown as {
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: unknown } };
    };
    expect(target(resource.UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName)).toBe(group?.id);
  });

  test('takes a tenth more of its calls each minute, until an alarm on decisions or clicks stands', () => {
    expect(group?.properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaLinear10PercentEvery1Minute');
    expect(group?.properties.AutoRollbackConfiguration).toEqual({
      Enabled: true,
      Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
    });
    const names = group?.properties.AlarmConfiguration?.Alarms.map(
      ({ Name }) => behind<{ AlarmName: string }>(production, Name).AlarmName,
    );
    expect(group?.properties.AlarmConfiguration?.Enabled).toBe(true);
    // CodeDeploy takes ten.
    expect(names?.toSorted()).toEqual([
      'Gate-Test/cause/Canary/UnansweredAlarm',
      'Gate-Test/cause/Deliberate/UnansweredLettersAlarm',
      'Gate-Test/cause/Entrances/ErrorsAlarm',
      'Gate-Test/cause/Objectives/clicksFastBurnAlarm',
      'Gate-Test/cause/Objectives/decisionsFastBurnAlarm',
      'Gate-Test/cause/PeopleAlarms/AllRefusedAlarm',
      'Gate-Test/cause/Queues/ProposalsLateAlarm',
      'Gate-Test/cause/Slack/UnansweredAlarm',
      'Gate-Test/cause/Waited/FaultsAlarm',
      'Gate-Test/page/Canary/WrongVerdictAlarm',
    ]);
  });

  test('is called by its alias: no queue, URL, rule or setting names the function itself', () => {
    const id = `Gate${pascal(name)}Function`;
    const callers = ['EventSourceMapping', 'Permission'].flatMap((type) =>
      all<{ FunctionName: unknown }>(production, `AWS::Lambda::${type}`),
    );
    expect(callers.filter(({ properties }) => plain(target(properties.FunctionName)) === id)).toEqual([]);
    const urls = all<{ TargetFunctionArn: unknown; Qualifier?: string }>(production, 'AWS::Lambda::Url');
    const own = urls.filter(({ properties }) => plain(target(properties.TargetFunctionArn)) === id);
    expect(own.filter(({ properties }) => properties.Qualifier !== 'live')).toEqual([]);
  });
});

test('the proposals queue calls the alias of evaluate, and Slack that of slack', () => {
  const mapping = all<{ FunctionName: unknown; EventSourceArn: unknown }>(
    production,
    'AWS::Lambda::EventSourceMapping',
  ).find(({ properties }) => plain(target(properties.EventSourceArn)) === 'GateQueuesProposals');
  expect(JSON.stringify(mapping?.properties.FunctionName)).toMatch(/GateEvaluateLive.*:live/);
  expect(
    all<{ Qualifier: string }>(production, 'AWS::Lambda::Url').map(({ properties }) => properties.Qualifier),
  ).toEqual(['live']);
});

test('an agent that redeems is told the alias, and may invoke it beside the function that agents of before name', () => {
  const template = world('linear');
  const agent = all<{ Environment: { Variables: Record<string, unknown> } }>(template, 'AWS::Lambda::Function').find(
    ({ id }) => plain(id) === 'Agent',
  );
  expect(JSON.stringify(agent?.properties.Environment.Variables['COUNTERSIGN_REDEEM_FUNCTION'])).toMatch(
    /GateRedeemFunction.*:live/,
  );
  expect(rightsOf(template, 'AgentServiceRole').filter((right) => right.includes('InvokeFunction'))).toEqual([
    'lambda:InvokeFunction GateRecordOutcomeFunction',
    'lambda:InvokeFunction GateRedeemFunction',
    'lambda:InvokeFunction GateRedeemFunction:live',
  ]);
  const { DependsOn } = template.Resources[agent?.id ?? ''] as unknown as { DependsOn: string[] };
  expect(DependsOn.map((id) => plain(id))).toContain('GateRedeemLive');
});

test('an agent of another app may invoke both as well', () => {
  const stack = new Stack(newApp(), 'Theirs');
  const role = new Role(stack, 'Tools', { assumedBy: new AccountRootPrincipal() });
  Countersign.fromDeployment(stack, 'Gate', 'Elsewhere').grantRedeem(role);
  const template = Template.fromStack(stack).toJSON() as TemplateJson;
  const invoked = statementsOf(template, 'Tools').flatMap(({ Resource }) => Resource);
  expect(new Set(invoked.map((one) => JSON.stringify(one))).size).toBe(3);
});

describe('shift', () => {
  test.each([
    ['at-once', ENTRANCES],
    ['decisions-at-once', ['evaluate']],
  ] as const)('%s mends what an alarm tells of: all calls, whatever stands', (shift, shifted) => {
    const groups = groupsOf(world(shift)).map(({ properties }) => properties);
    expect(groups).toHaveLength(shifted.length);
    for (const { DeploymentConfigName, AlarmConfiguration, AutoRollbackConfiguration } of groups) {
      expect(DeploymentConfigName).toBe('CodeDeployDefault.LambdaAllAtOnce');
      // Left out, CloudFormation would let the alarms of a deployment before stand.
      expect(AlarmConfiguration?.Enabled).toBe(false);
      expect(AutoRollbackConfiguration.Events).toEqual(['DEPLOYMENT_FAILURE']);
    }
  });

  test('decisions, the default, shifts evaluate until an alarm stands, and changes no address that anybody knows', () => {
    const template = synthesised({});
    expect(template).toEqual(world('decisions'));
    const [group, ...others] = groupsOf(template);
    expect(others).toEqual([]);
    expect(group?.properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute',
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
    });
    expect(group?.properties.AlarmConfiguration?.Alarms.length).toBeGreaterThan(8);
    expect(all<Alias>(template, 'AWS::Lambda::Alias').map(({ id }) => plain(id))).toEqual(['GateEvaluateLive']);
    const addressesOf = (of: TemplateJson) => ({
      urls: all(of, 'AWS::Lambda::Url'),
      agents: all<{ Environment?: { Variables: Record<string, unknown> } }>(of, 'AWS::Lambda::Function').map(
        ({ properties }) => properties.Environment?.Variables['COUNTERSIGN_REDEEM_FUNCTION'],
      ),
    });
    expect(addressesOf(template)).toEqual(addressesOf(world('none')));
  });

  test('none, the default of development: functions change in place', () => {
    for (const template of [development, world('none'), synthesised({ removalPolicy: RemovalPolicy.DESTROY })])
      for (const type of ['AWS::Lambda::Alias', 'AWS::Lambda::Version', 'AWS::CodeDeploy::DeploymentGroup'])
        expect(typesIn(template)).not.toContain(type);
  });

  test('every way exports the same to the stacks of agents, so that no upgrade changes an export in use', () => {
    const exportsOf = (shift: Shift) => {
      const app = newApp();
      const mine = new Stack(app, 'Mine');
      const gate = new Countersign(mine, 'Gate', { policyFile: POLICY, slackAppId: APP_ID, shift });
      gate.connect(agentIn(new Stack(app, 'Theirs')), 'billing', { redeem: true });
      const { Outputs } = app.synth().getStackByName('Mine').template as { Outputs: Record<string, object> };
      return Outputs;
    };
    const before = exportsOf('none');
    expect(Object.keys(before).join()).toMatch(/RefGateRedeemFunction/);
    for (const shift of SHIFTS.filter((one) => one !== 'none')) expect(exportsOf(shift)).toEqual(before);
  });

  test.each([
    ['shift', 'canary', 'decisions, decisions-at-once, linear, at-once, none'],
    ['metrics', 'Lean', 'lean, full'],
  ])('%s refuses %s', (prop, given, allowed) => {
    const props = { policyFile: POLICY, slackAppId: APP_ID, [prop]: given };
    expect(() => new Countersign(new Stack(newApp(), 'S'), 'Gate', props)).toThrow(
      `${prop}: must be one of ${allowed}`,
    );
  });

  test('the ways that differ in speed alone have the same aliases, so that no address changes', () => {
    const addresses = (shift: Shift) =>
      Object.entries(world(shift).Resources)
        .filter(([, { Type }]) => /::(Alias|Url|EventSourceMapping)$/.test(Type))
        .map(([id]) => id)
        .toSorted();
    expect(addresses('at-once')).toEqual(addresses('linear'));
    expect(addresses('decisions-at-once')).toEqual(addresses('decisions'));
  });
});
