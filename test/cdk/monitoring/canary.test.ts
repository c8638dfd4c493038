/** Checks the schedule and the alarms of the canary, and that nobody else can be it. */
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { expect, inject, test } from 'vitest';
import { Countersign } from '../../../cdk/constructs/countersign.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY } from '../support/run-app.ts';
import { all, type TemplateJson } from '../support/template.ts';

const schedules = (template: TemplateJson) =>
  all<{ ScheduleExpression?: string }>(template, 'AWS::Events::Rule').filter(({ id }) => id.includes('Canary'));
const alarms = (template: TemplateJson) =>
  all<{ AlarmName: string }>(template, 'AWS::CloudWatch::Alarm')
    .map(({ properties }) => properties.AlarmName)
    .filter((name) => /\/(page|cause)\/Canary\/|SilentAlarm/.test(name));

test('it proposes every five minutes; in development it is there, and waits to be invoked', () => {
  const [production, development] = (['production', 'development'] as const).map(
    (name) => JSON.parse(inject(name)) as TemplateJson,
  ) as [TemplateJson, TemplateJson];
  expect(schedules(production).map(({ properties }) => properties.ScheduleExpression)).toEqual(['rate(5 minutes)']);
  expect(schedules(development)).toEqual([]);
  expect(alarms(production).toSorted()).toEqual([
    'Gate-Test/cause/Canary/UnansweredAlarm',
    'Gate-Test/page/Canary/WrongVerdictAlarm',
    'Gate-Test/ticket/ArchiveAudit/SilentAlarm',
  ]);
  // Without a schedule its silence is no fault; a wrong verdict always is one.
  expect(alarms(development)).toEqual(['Gate-Test/page/Canary/WrongVerdictAlarm']);
});

test('no other role proposes as the canary', () => {
  const stack = new Stack(newApp(), 'Theirs');
  const props = { policyFile: POLICY, slackAppId: APP_ID, removalPolicy: RemovalPolicy.DESTROY } as const;
  const gates = [new Countersign(stack, 'Gate', props), Countersign.fromDeployment(stack, 'Other', 'Elsewhere')];
  const role = new Role(stack, 'Agent', { assumedBy: new AccountRootPrincipal() });
  for (const gate of gates)
    expect(() => gate.grantPropose(role, CANARY)).toThrow('the policy file declares no agent named -canary');
});
