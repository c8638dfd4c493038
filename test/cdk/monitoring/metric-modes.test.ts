/** Checks that lean metrics hold all that alarms and objectives read. */
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { Countersign } from '../../../cdk/constructs/countersign.ts';
import {
  isWritten,
  METRIC_MODES,
  type MetricMode,
  type MetricName,
  NAMESPACE,
} from '../../../shared/config/metric-names.ts';
import { OBJECTIVES } from '../../../shared/config/objectives.ts';
import { COUNTED } from '../../bench/support/prices.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY } from '../support/run-app.ts';
import { all, type TemplateJson } from '../support/template.ts';

interface Metric {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string }[];
}
interface Alarm extends Metric {
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Metric } }[];
}

function gate(metrics?: MetricMode): TemplateJson {
  const stack = new Stack(newApp(), 'S');
  const one = new Countersign(stack, 'Gate', {
    policyFile: POLICY,
    slackAppId: APP_ID,
    deployment: 'Gate-Test',
    ...(metrics ? { metrics } : {}),
  });
  one.grantPropose(new Role(stack, 'Agent', { assumedBy: new AccountRootPrincipal() }), 'billing', {
    replyQueue: new Queue(stack, 'Replies'),
  });
  return Template.fromStack(stack).toJSON() as TemplateJson;
}
const lean = gate('lean');
const full = gate();

const alarmMetrics = (template: TemplateJson): Metric[] =>
  all<Alarm>(template, 'AWS::CloudWatch::Alarm').flatMap(({ properties }) =>
    properties.Metrics
      ? properties.Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
      : [properties as Metric],
  );
const dimensionsOf = ({ Dimensions = [] }: Metric) =>
  Dimensions.map(({ Name }) => Name).filter((name) => name !== 'service');

test.each(METRIC_MODES)('%s: each function is told', (mode) => {
  const told = all<{ Environment: { Variables: { METRICS?: string } } }>(
    mode === 'lean' ? lean : full,
    'AWS::Lambda::Function',
  ).map(({ properties }) => properties.Environment.Variables.METRICS);
  expect(new Set(told)).toEqual(new Set([mode]));
});

describe('lean', () => {
  test('each metric of an alarm is written, the alarms on an agent’s own queue among them', () => {
    const ours = alarmMetrics(lean).filter(({ Namespace }) => Namespace === NAMESPACE);
    expect(ours.map(({ MetricName }) => MetricName)).toEqual(expect.arrayContaining(['RepliesLost', 'Sli', 'Faults']));
    const missing = ours.filter((one) => !isWritten('lean', one.MetricName as MetricName, dimensionsOf(one)));
    expect(missing).toEqual([]);
  });

  test('each objective is written', () => {
    expect(Object.values(OBJECTIVES).filter(({ metric }) => !isWritten('lean', metric, []))).toEqual([]);
    expect(isWritten('lean', 'Sli', ['objective'])).toBe(true);
  });

  test('alarms are those of full metrics', () => {
    expect(alarmMetrics(lean)).toEqual(alarmMetrics(full));
  });

  test('no tool, model, hook or budget has a series of its own, and the dashboard looks for none', () => {
    const searches = (template: TemplateJson) =>
      JSON.stringify(all(template, 'AWS::CloudWatch::Dashboard')).split('SEARCH(');
    expect(searches(full).filter((one) => one.includes('tool,origin')).length).toBeGreaterThan(5);
    const looked = searches(lean)
      .slice(1)
      .map((one) => one.slice(0, 80))
      .join('\n');
    expect(looked).not.toMatch(/,(tool|model|hook|budget|group|code|fault)[,}]/);
    expect(looked).toMatch(/,function}/);
  });
});

test('the price tables count the alarms that are deployed', () => {
  const template = gate();
  const composites = all(template, 'AWS::CloudWatch::CompositeAlarm').length;
  // The alarm on the queue of an agent comes with the grant of it.
  expect({ metrics: alarmMetrics(template).length - 1, composites }).toEqual(COUNTED.alarms);
});
