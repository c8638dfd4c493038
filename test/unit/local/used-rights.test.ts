/** Joins the endpoint's log of rights with the template and the times of tests. */
import { expect, test } from 'vitest';
import type { TemplateJson } from '../../cdk/support/template.ts';
import { type Logged, usedRights } from '../../e2e/rights/used.ts';

const template: TemplateJson = {
  Resources: {
    GateSealRole01234567: { Type: 'AWS::IAM::Role', Properties: {} },
    GateTablesState89ABCDEF: { Type: 'AWS::DynamoDB::Table', Properties: {} },
    SealPolicy00000000: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyName: 'SealPolicy00000000',
        Roles: [{ Ref: 'GateSealRole01234567' }],
        PolicyDocument: {
          Statement: [
            { Effect: 'Allow', Action: 'xray:PutTraceSegments', Resource: '*' },
            {
              Effect: 'Allow',
              Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
              Resource: { 'Fn::GetAtt': ['GateTablesState89ABCDEF', 'Arn'] },
              Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['seal#*', 'list#*'] } },
            },
          ],
        },
      },
    },
  },
};
const line: Logged = {
  ...{ at: 12, role: 'E2e-GateSealRole', session: 'function', action: 'dynamodb:GetItem', decision: 'Allow' },
  ...{ policy: 'SealPolicy00000000', statement: 1, resources: [0], rows: [1] },
};
const began = (at: number, name: string) => ({ at, event: 'began', test: name }) as const;

test('a right is one action on one pattern of rows, and used in the test that had begun last', () => {
  const events = [began(3.5, 'earlier'), began(12.4, 'this one'), began(14, 'later')];
  const { rights, refused } = usedRights(template, [line, { ...line, at: 15 }], events);
  const right = { role: 'GateSealRole', resource: 'GateTablesState', isOfAws: false };
  expect(rights).toEqual([
    { ...right, action: 'dynamodb:GetItem', rows: 'list#*', test: 'this one' },
    { ...right, action: 'dynamodb:GetItem', rows: 'seal#*' },
    { ...right, action: 'dynamodb:PutItem', rows: 'list#*' },
    { ...right, action: 'dynamodb:PutItem', rows: 'seal#*' },
    { role: 'GateSealRole', action: 'xray:PutTraceSegments', resource: '*', rows: '', isOfAws: true },
  ]);
  expect(refused).toEqual([]);
});

test('a managed policy has a name of its own in the log', () => {
  const usedBy = (policy: string) =>
    usedRights(template, [{ ...line, policy }], []).rights.filter(({ test: used }) => used !== undefined).length;
  expect(usedBy('E2e-SealPolicy00000000-0123456789ABC')).toBe(1);
  expect(usedBy('E2e-OtherSealPolicy00000000-0123456789ABC')).toBe(0);
});

test('a thief uses no right, nor does a policy that a test put in place of the deployed one', () => {
  const lines = [
    { ...line, session: 'stolen' },
    { ...line, statement: -1 },
    { ...line, policy: 'Another' },
  ];
  expect(usedRights(template, lines, []).rights.filter(({ test: used }) => used !== undefined)).toEqual([]);
});

test('a request that no statement allowed is told once, but for those of a thief', () => {
  const { action, role } = line;
  const denied = { at: 1, role, session: 'function', action, decision: 'ImplicitDeny', resource: 'arn:x', rows: ['a'] };
  const { refused } = usedRights(
    template,
    [denied, { ...denied, at: 2 }, { ...denied, session: 'stolen', action: 'b:c' }],
    [],
  );
  expect(refused).toEqual([{ role, action, resource: 'arn:x', test: 'before the first test' }]);
});
