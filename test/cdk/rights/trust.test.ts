/** Checks which principals may assume the roles of the stack. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test } from 'vitest';
import { CountersignStack, type CountersignStackProps } from '../../../cdk/countersign-stack.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY } from '../support/run-app.ts';
import { all, one, type TemplateJson } from '../support/template.ts';

const ROLE = 'arn:aws:iam::111122223333:role/oncall';
const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:oncall';
const USER = 'arn:aws:iam::111122223333:user/eve';
const folder = mkdtempSync(join(tmpdir(), 'countersign-trust-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function synthesized(props: Partial<CountersignStackProps>) {
  const app = newApp();
  const stack = new CountersignStack(app, 'Gate', { policyFile: POLICY, slackAppId: APP_ID, ...props });
  const warnings = Annotations.fromStack(stack)
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => String(entry.data));
  const template = app.synth().getStackByName('Gate').template as TemplateJson;
  const principalOf = (role: string) => {
    const { properties } = one<{ AssumeRolePolicyDocument: { Statement: { Principal: unknown }[] } }>(
      template,
      'AWS::IAM::Role',
      role,
    );
    return properties.AssumeRolePolicyDocument.Statement.map(({ Principal }) => Principal);
  };
  return { principalOf, template, warnings: warnings.filter((text) => text.includes('act as the')) };
}

const untold = synthesized({});

describe('who may assume the roles', () => {
  test('is the account where nobody is named, with a warning for each role', () => {
    const { principalOf, warnings } = untold;
    expect(JSON.stringify(principalOf('OperatorRoleoncall'))).toContain(':root');
    expect(warnings.some((text) => text.includes('operator oncall') && text.includes('operatorPrincipals'))).toBe(true);
    expect(warnings.some((text) => text.includes('agent billing') && text.includes('agentPrincipals'))).toBe(true);
    expect(warnings.some((text) => text.includes('auditor') && text.includes('auditorPrincipals'))).toBe(true);
  });

  test('is who was named, for all of a kind or one by one, without a warning for those', () => {
    const { principalOf, warnings } = synthesized({
      operatorPrincipals: { oncall: [ROLE, USER] },
      agentPrincipals: { billing: [ROLE] },
      auditorPrincipals: [USER],
    });
    expect(principalOf('OperatorRoleoncall')).toEqual([{ AWS: ROLE }, { AWS: USER }]);
    expect(principalOf('AgentRolebilling')).toEqual([{ AWS: ROLE }]);
    expect(principalOf('AuditorRole')).toEqual([{ AWS: USER }]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('agent ops:night_shift');
    const all = synthesized({ operatorPrincipals: [ROLE], agentPrincipals: [ROLE], auditorPrincipals: [ROLE] });
    expect(all.warnings).toEqual([]);
  });

  test.each<[Partial<CountersignStackProps>, string]>([
    [{ operatorPrincipals: ['*'] }, 'operatorPrincipals: * is no ARN'],
    [{ operatorPrincipals: ['111122223333'] }, 'operatorPrincipals: 111122223333 is no ARN'],
    [
      { agentPrincipals: ['arn:aws:iam::111122223333:role/*'] },
      'agentPrincipals: arn:aws:iam::111122223333:role/* is no',
    ],
    [{ operatorPrincipals: [] }, 'operatorPrincipals: name at least one principal'],
    [{ operatorPrincipals: { onkall: [ROLE] } }, 'operatorPrincipals.onkall: the stack makes no role'],
    [{ agentPrincipals: { toString: [ROLE] } as never }, 'agentPrincipals.toString: the stack makes no role'],
    [{ agentPrincipals: { elsewhere: [ROLE] } }, 'agentPrincipals.elsewhere: the stack makes no role'],
    [{ redeem: ['elsewhere'] }, 'redeem: the stack makes no role for an agent named elsewhere'],
    [{ auditorPrincipals: ['eve'] }, 'auditorPrincipals: eve is no ARN'],
    // From JavaScript.
    [{ agentPrincipals: ROLE as never }, 'agentPrincipals: must be a list of ARNs, or one for each name'],
    [{ agentPrincipals: 5 as never }, 'agentPrincipals: must be a list of ARNs'],
    [{ auditorPrincipals: null as never }, 'auditorPrincipals: must be a list of ARNs'],
    [{ operatorPrincipals: { oncall: ROLE } as never }, 'operatorPrincipals.oncall: must be a list of ARNs'],
    [{ redeem: 'billing' as never }, "redeem: must be a list of agents by their names, such as ['billing']"],
    [{ alarmTopicArn: 'oncall' }, 'alarmTopicArn: must be an ARN'],
    [{ alarmTopicArns: { page: TOPIC } as never }, 'alarmTopicArns.ticket: must be an ARN'],
    [{ archiveCopyArn: 'my-copy' }, 'archiveCopyArn: must be an ARN'],
    [{ archiveRetentionDays: '400' as never }, 'archiveRetentionDays: must be a number'],
    [{ eventBusName: 5 as never }, 'eventBusName: must be a text'],
  ])('%j is refused by name', (props, problem) => {
    expect(() => synthesized(props)).toThrow(problem);
  });
});

describe('names that differ in their punctuation only', () => {
  const stackOf = (...agents: string[]) => {
    const policyFile = join(folder, 'policy.yaml');
    const declared = agents.map((agent) => `  ${agent}: { owner: olga }\n`).join('');
    writeFileSync(policyFile, readFileSync(POLICY, 'utf8').replace('agents:\n', `agents:\n${declared}`));
    return synthesized({ policyFile }).template;
  };
  const roleOf = ({ Resources }: TemplateJson, agent: string) =>
    Object.entries(Resources)
      .filter(([, { Properties }]) => JSON.stringify(Properties).includes(`Acts as the agent ${agent} `))
      .map(([id]) => id);

  test('have roles and outputs of their own, which another order in the policy file hands to no other agent', () => {
    const agents = ['ops-bot', 'opsbot', 'ops', 'opsArn'];
    const [there, back] = [stackOf(...agents), stackOf(...agents.toReversed())];
    for (const agent of agents) {
      expect(roleOf(there, agent)).toHaveLength(1);
      expect(roleOf(back, agent)).toEqual(roleOf(there, agent));
    }
    const environments = Object.keys(there.Outputs ?? {}).filter((name) =>
      /^AgentEnvironmentops(bot|Arn)?[\da-f]{8}$/.test(name),
    );
    expect(environments).toHaveLength(agents.length);
  });
});

describe('the settings of an agent', () => {
  const environmentOf = (template: TemplateJson, agent: string) =>
    JSON.stringify(template.Outputs?.[`AgentEnvironment${agent}`]?.Value ?? null);
  const redeemersOf = (template: TemplateJson) =>
    all<{ PolicyDocument: unknown; Roles: unknown }>(template, 'AWS::IAM::Policy')
      .filter(
        ({ id, properties }) => id.startsWith('AgentRole') && JSON.stringify(properties).includes('InvokeFunction'),
      )
      .map(({ id }) => id.replace(/DefaultPolicy.*/, ''));

  test('stand in an output of its own, one variable a line, also for an agent that has its senders elsewhere', () => {
    const { template } = untold;
    const variables = [...environmentOf(template, 'billing').matchAll(/COUNTERSIGN_[A-Z_]+(?==)/g)].map(
      ([name]) => name,
    );
    expect(variables).toEqual([
      'COUNTERSIGN_AGENT',
      'COUNTERSIGN_DEPLOYMENT',
      'COUNTERSIGN_QUEUE_URL',
      'COUNTERSIGN_AUDIT_TABLE',
      'COUNTERSIGN_EXECUTIONS_QUEUE_URL',
      'COUNTERSIGN_STATE_TABLE',
    ]);
    expect(environmentOf(template, 'elsewhere')).toContain('COUNTERSIGN_AGENT=elsewhere');
    expect(redeemersOf(template)).toEqual([]);
  });

  test('let it redeem its permits where the stack is told so, and no other agent', () => {
    const { template } = synthesized({ redeem: ['billing'] });
    expect(redeemersOf(template)).toEqual(['AgentRolebilling']);
    expect(environmentOf(template, 'billing')).toMatch(/COUNTERSIGN_REDEEM_FUNCTION=.*COUNTERSIGN_OUTCOMES_QUEUE_URL=/);
    expect(environmentOf(template, 'opsnightshift')).not.toContain('REDEEM_FUNCTION');
  });
});
