/** Checks what `countersign dev --app` changes in a template, and what it finds in one. */
import { expect, test } from 'vitest';
import { ADDED, localTemplate } from '../../../shared/dev/deployed/local-template.ts';
import type { Template } from '../../../shared/dev/deployed/template.ts';

const SLACK = 'http://127.0.0.1:7475/api/';
const lambda = (Variables: object) => ({ Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } });
const role = { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: { Statement: [{ Effect: 'Allow' }] } } };
const parameter = (Name: string, Value: unknown) => ({ Type: 'AWS::SSM::Parameter', Properties: { Name, Value } });
const sender = (id: string) => ({ 'Fn::Join': ['', ['{"senderId":"', { 'Fn::GetAtt': [id, 'RoleId'] }, '"}']] });

const TEMPLATE: Template = {
  Resources: {
    SlackFn: lambda({
      DEPLOYMENT: 'Mine',
      SLACK_APP_ID: 'A0123',
      POLICY_VERSION: 'v1',
      SLACK_SECRET: { Ref: 'Secret' },
      SLACK_SIGNING_SECRET: { Ref: 'SigningSecret' },
      SLACK_API_URL: 'https://proxy.example/',
    }),
    Live: {
      Type: 'AWS::Lambda::Alias',
      Properties: { FunctionName: { Ref: 'SlackFn' } },
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { ApplicationName: { Ref: 'Shift' } } },
      DependsOn: ['Shift', 'SlackFn'],
    },
    Shift: { Type: 'AWS::CodeDeploy::Application' },
    Url: { Type: 'AWS::Lambda::Url', Properties: { TargetFunctionArn: { Ref: 'Live' } } },
    Others: { Type: 'AWS::Lambda::Url', Properties: { TargetFunctionArn: { Ref: 'Other' } } },
    Other: lambda({ OWN: 'x' }),
    Settings: parameter('/Mine/gate', { 'Fn::Join': [',', ['Mine', { Ref: 'Queue' }]] }),
    Functions: parameter('/Mine/functions', 'a,b'),
    Builder: role,
    Oncall: role,
    Auditor: role,
    Canary: role,
    Bystander: role,
    BuilderSender: parameter('/Mine/senders/agents/the_cbuilder/c8aabbccdd', sender('Builder')),
    OncallSender: parameter('/Mine/senders/operators/oncall/c8aabbccdd', sender('Oncall')),
    CanarySender: parameter('/Mine/senders/agents/-canary/c8aabbccdd', sender('Canary')),
    Imported: parameter('/Mine/senders/agents/imported/c8aabbccdd', '{"senderId":"AROA"}'),
    Policy: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        Roles: [{ Ref: 'Builder' }],
        PolicyDocument: {
          Statement: [{ Action: 'lambda:InvokeFunction', Resource: { 'Fn::GetAtt': ['GateRedeemFunction', 'Arn'] } }],
        },
      },
    },
    Plain: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
    Math: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [] } },
    Saved: { Type: 'AWS::Logs::QueryDefinition', Properties: { QueryString: 'limit 1' } },
    Any: {
      Type: 'AWS::CloudWatch::CompositeAlarm',
      Properties: { AlarmRule: { 'Fn::Sub': 'ALARM($' + '{Math.Arn})' } },
    },
    Board: { Type: 'AWS::CloudWatch::Dashboard', Properties: { DashboardBody: { 'Fn::GetAtt': ['Any', 'Arn'] } } },
  },
  Outputs: {
    AuditorRoleArn: { Value: { 'Fn::GetAtt': ['Auditor', 'Arn'] } },
    BoardName: { Value: { Ref: 'Board' } },
  },
};

const local = localTemplate(TEMPLATE, SLACK);
const propertiesOf = (id: string) => local.template.Resources[id]?.Properties ?? {};

test('functions that talk to Slack talk to the local one, and no other function changes', () => {
  expect(propertiesOf('SlackFn')['Environment']).toMatchObject({ Variables: { SLACK_API_URL: SLACK } });
  expect(local.template.Resources['Other']).toEqual(TEMPLATE.Resources['Other']);
});

test('the gate is found with its names, its secret and the URL behind an alias', () => {
  expect(local.gate).toMatchObject({ deployment: 'Mine', slackAppId: 'A0123', policyVersion: 'v1' });
  expect(local.template.Outputs).toMatchObject({
    [ADDED.settings]: { Value: { 'Fn::Join': [',', ['Mine', { Ref: 'Queue' }]] } },
    [ADDED.functions]: { Value: 'a,b' },
    [ADDED.slackSecret]: { Value: { Ref: 'Secret' } },
    [ADDED.slackSigningSecret]: { Value: { Ref: 'SigningSecret' } },
    [ADDED.slackUrl]: { Value: { 'Fn::GetAtt': ['Url', 'FunctionUrl'] } },
  });
});

test('agents, operators and the auditor are found by their roles, which the account may assume', () => {
  expect(local.actors.map(({ kind, name, redeems }) => [kind, name, redeems])).toEqual([
    ['agents', 'the:builder', true],
    ['operators', 'oncall', false],
    ['auditors', 'auditor', false],
  ]);
  const trusts = (id: string) => JSON.stringify(propertiesOf(id)).includes('arn:aws:iam::000000000000:root');
  expect(['Builder', 'Oncall', 'Auditor', 'Canary', 'Bystander'].map(trusts)).toEqual([true, true, true, false, false]);
  for (const { output } of local.actors) expect(local.template.Outputs).toHaveProperty(output);
});

test('resources that the endpoint lacks go, with all that names them, and are counted', () => {
  expect(Object.keys(TEMPLATE.Resources).filter((id) => !local.template.Resources[id])).toEqual([
    'Shift',
    'Math',
    'Saved',
    'Any',
    'Board',
  ]);
  expect(local.template.Resources['Live']).toEqual({
    Type: 'AWS::Lambda::Alias',
    Properties: { FunctionName: { Ref: 'SlackFn' } },
    DependsOn: ['SlackFn'],
  });
  expect(local.template.Outputs).not.toHaveProperty('BoardName');
  expect(local.leftOut).toEqual([
    '1 of 2 AWS::CloudWatch::Alarm',
    '1 of 1 AWS::CloudWatch::CompositeAlarm',
    '1 of 1 AWS::CloudWatch::Dashboard',
    '1 of 1 AWS::CodeDeploy::Application',
    '1 of 1 AWS::Logs::QueryDefinition',
  ]);
});

test('a template without a gate is no gate’s', () => {
  expect(localTemplate({ Resources: { Other: lambda({}) } }, SLACK)).toMatchObject({ gate: undefined, actors: [] });
});
