/** Attacks are made of the rights of a template: all that some role may do, without what this one may. */
import { expect, test } from 'vitest';
import type { TemplateJson } from '../../cdk/support/template.ts';
import { attacksOf, keyNameOf } from '../../e2e/rights/attacks.ts';

const STATE = 'GateTablesState89ABCDEF';
const QUEUE = 'GateQueuesCards01234567';
const rows = (...patterns: string[]) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } });
const onState = (Action: string, Condition: object) => ({
  ...{ Effect: 'Allow', Action, Resource: { 'Fn::GetAtt': [STATE, 'Arn'] }, Condition },
});

function templateWith(policies: Readonly<Record<string, readonly object[]>>): TemplateJson {
  const resources = Object.entries(policies).map(([role, Statement]) => [
    `${role}Policy00000000`,
    {
      Type: 'AWS::IAM::Policy',
      Properties: { Roles: [{ Ref: `${role}01234567` }], PolicyDocument: { Statement } },
    },
  ]);
  const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' }];
  const index = { IndexName: 'byDue', KeySchema: [{ AttributeName: 'due', KeyType: 'HASH' }] };
  return {
    Resources: {
      ...Object.fromEntries(resources),
      [STATE]: { Type: 'AWS::DynamoDB::Table', Properties: { KeySchema, GlobalSecondaryIndexes: [index] } },
    },
  };
}

const template = templateWith({
  GateSealRole: [onState('dynamodb:GetItem', rows('seal#*')), onState('dynamodb:PutItem', rows('list#*'))],
  GateSlackRole: [
    onState('dynamodb:GetItem', rows('list#*')),
    { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': [QUEUE, 'Arn'] } },
  ],
});
const texts = (of: TemplateJson) =>
  attacksOf(of).map(({ role, action, resource, key, attributes = [] }) =>
    [role, action, resource, key, ...attributes].join(' '),
  );

test('a role tries the rows of others with each action of its own, and not what it may', () => {
  const tried = texts(template);
  expect(tried).toContain('GateSealRole dynamodb:GetItem GateTablesState list#attacked');
  expect(tried).toContain('GateSlackRole dynamodb:GetItem GateTablesState seal#attacked');
  expect(tried).not.toContain('GateSealRole dynamodb:GetItem GateTablesState seal#attacked');
  expect(tried).not.toContain('GateSlackRole sqs:SendMessage GateQueuesCards ');
});

test('each resource is tried by each role with an action that the role has nowhere', () => {
  expect(texts(template)).toContain('GateSealRole sqs:SendMessage GateQueuesCards ');
  const slack = attacksOf(template).filter(
    ({ role, action }) => role === 'GateSlackRole' && action !== 'dynamodb:GetItem',
  );
  expect(new Set(slack.map(({ resource }) => resource))).toContain('GateTablesState');
});

test('an attribute beside those of a right is tried, on its own rows', () => {
  const some = { ...rows('approval#*'), 'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'card'] } };
  const tried = texts(templateWith({ GateSlackRole: [onState('dynamodb:UpdateItem', some)] }));
  expect(tried).toContain('GateSlackRole dynamodb:UpdateItem GateTablesState approval#attacked card attacked');
});

test('agents try each other’s rows', () => {
  const agents = templateWith({
    AgentRoleone: [onState('dynamodb:GetItem', rows('result#one#*'))],
    AgentRoletwo: [onState('dynamodb:GetItem', rows('result#two#*'))],
    AgentRolethree: [onState('dynamodb:GetItem', rows('result#three#*'))],
    GateResumeRole: [onState('dynamodb:GetItem', rows('result#*'))],
  });
  const tried = texts(agents);
  for (const [role, other] of [
    ['one', 'two'],
    ['two', 'three'],
    ['three', 'one'],
  ])
    expect(tried).toContain(`AgentRole${role} dynamodb:GetItem GateTablesState result#${other}#attacked`);
  expect(tried.filter((text) => text.startsWith('GateResumeRole dynamodb:GetItem'))).toEqual([]);
});

test('a service of which no attack is known is refused by its name', () => {
  const sns = { Effect: 'Allow', Action: 'sns:Publish', Resource: { Ref: 'TopicABCDEF01' } };
  expect(() => attacksOf(templateWith({ GateSealRole: [sns] }))).toThrow('no attack is known by sns:Publish on Topic');
});

test('the partition key of a table and of its index is read from the template', () => {
  expect(
    ['GateTablesState', 'GateTablesState/index/byDue', 'GateQueuesCards'].map((name) => keyNameOf(template, name)),
  ).toEqual(['pk', 'due', '']);
});
