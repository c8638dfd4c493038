/** Checks how each function is deployed: runtime, role, log, environment and time-outs. */
import { describe, expect, inject, test } from 'vitest';
import { FUNCTIONS, type GateFunctionName } from '../../cdk/constructs/functions/function-names.ts';
import { ENV, type FunctionName } from '../../functions/runtime/env.ts';
import { all, one, type TemplateJson, target } from './support/template.ts';

const template = JSON.parse(inject('production')) as TemplateJson;
const development = JSON.parse(inject('development')) as TemplateJson;

interface Lambda {
  readonly Timeout: number;
  readonly Role: unknown;
  readonly LoggingConfig: { readonly LogGroup: unknown; readonly LogFormat: string };
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
  readonly Code: { readonly S3Key: string };
}

const pascal = (name: string) => name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
const lambda = (name: GateFunctionName, of = template) =>
  one<Lambda>(of, 'AWS::Lambda::Function', `Gate${pascal(name)}Function`);

/** The function of `functions/runtime/env.ts` whose words each function reads. */
const WORDS: Readonly<Record<GateFunctionName, FunctionName>> = {
  evaluate: 'evaluate',
  deliberate: 'deliberate',
  'request-approval': 'requestApproval',
  resume: 'resume',
  'slack-out': 'slackOut',
  slack: 'slack',
  converse: 'converse',
  operate: 'operate',
  reconcile: 'reconcile',
  redeem: 'redeem',
  'execute-tool': 'executeTool',
  'record-outcome': 'recordOutcome',
  'collect-outcomes': 'collectOutcomes',
  'archive-audit': 'archiveAudit',
  seal: 'seal',
  redrive: 'redrive',
  'send-webhooks': 'sendWebhooks',
  canary: 'canary',
};
/** For the libraries, and for the log line that each process begins with. */
const OF_LIBRARIES = ['POWERTOOLS_LOG_LEVEL', 'METRICS', 'GATE_FUNCTION', 'COUNTERSIGN_VERSION', 'POLICY_VERSION'];

describe.each(FUNCTIONS)('%s', (name) => {
  test('runs on Node 24 on arm64, begins no trace, under a role and with a log of its own', () => {
    const { properties } = lambda(name);
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'PassThrough' },
      LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' },
    });
    const others = FUNCTIONS.filter((other) => other !== name).map((other) => lambda(other).properties);
    expect(others.map(({ Role }) => target(Role))).not.toContain(target(properties.Role));
    expect(others.map(({ LoggingConfig }) => target(LoggingConfig.LogGroup))).not.toContain(
      target(properties.LoggingConfig.LogGroup),
    );
  });

  test('states in its log which function, package and policy it is', () => {
    const { GATE_FUNCTION, COUNTERSIGN_VERSION, POLICY_VERSION } = lambda(name).properties.Environment.Variables;
    expect(GATE_FUNCTION).toBe(name);
    expect(COUNTERSIGN_VERSION).toMatch(/^\d+\.\d+\.\d+/);
    expect(POLICY_VERSION).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is told exactly the words it reads', () => {
    const { shape } = ENV[WORDS[name]];
    const told = Object.keys(lambda(name).properties.Environment.Variables).filter(
      (variable) => !OF_LIBRARIES.includes(variable),
    );
    const required = Object.entries(shape)
      .filter(([, word]) => !word.safeParse(undefined).success)
      .map(([word]) => word);
    expect(Object.keys(shape)).toEqual(expect.arrayContaining(told));
    expect(told).toEqual(expect.arrayContaining(required));
  });

  test('G42 is told where a secret is, never what it is', () => {
    const variables = lambda(name).properties.Environment.Variables;
    for (const [variable, value] of Object.entries(variables).filter(([key]) => key.includes('SECRET'))) {
      expect(template.Resources[target(value)]?.Type, variable).toBe('AWS::SecretsManager::Secret');
    }
    expect(JSON.stringify(variables)).not.toMatch(/resolve:secretsmanager|xox[abp]-/);
  });

  test('says when it is refused its concurrency', () => {
    expect(metricsOf(lambda(name).id)).toContain('Throttles');
  });
});

test('A11 time-outs: ten seconds where an agent waits, a minute where a model may be asked', () => {
  const seconds = Object.fromEntries(FUNCTIONS.map((name) => [name, lambda(name).properties.Timeout]));
  expect(seconds).toEqual({
    evaluate: 10,
    deliberate: 60,
    'request-approval': 10,
    resume: 30,
    'slack-out': 20,
    slack: 10,
    operate: 30,
    converse: 30,
    reconcile: 50,
    redeem: 60,
    'record-outcome': 30,
    'collect-outcomes': 30,
    'archive-audit': 60,
    seal: 120,
    redrive: 60,
    'send-webhooks': 30,
    canary: 60,
    'execute-tool': 300,
  });
});

test('each function is a bundle of its own', () => {
  expect(new Set(FUNCTIONS.map((name) => lambda(name).properties.Code.S3Key)).size).toBe(FUNCTIONS.length);
});

test.each([
  ['slack', 20],
  ['redeem', 40],
  ['record-outcome', 20],
])('A23 what is invoked from outside takes no more than its share: %s %i', (name, most) => {
  expect(lambda(name as (typeof FUNCTIONS)[number]).properties).toHaveProperty('ReservedConcurrentExecutions', most);
});

test('what only queues and the clock call is bounded by its mapping, and reserves nothing', () => {
  const reserved = FUNCTIONS.filter((name) => 'ReservedConcurrentExecutions' in lambda(name).properties);
  expect(reserved.toSorted()).toEqual(['record-outcome', 'redeem', 'slack']);
});

test('A12 Lambda does not stop what is put aside again and again; the gate counts the rounds itself', () => {
  const allowed = FUNCTIONS.filter((name) => 'RecursiveLoop' in lambda(name).properties);
  expect(allowed).toEqual(['deliberate', 'execute-tool']);
});

test('account senders and a local Slack are told only where they are asked for', () => {
  for (const name of FUNCTIONS) {
    const variables = Object.keys(lambda(name, development).properties.Environment.Variables);
    expect(variables).not.toContain('ACCOUNTS_ALLOWED');
    expect(variables).not.toContain('SLACK_API_URL');
  }
});

const scheduleOf = (name: GateFunctionName) =>
  all<{ ScheduleExpression: string; Targets: { Arn: unknown }[] }>(template, 'AWS::Events::Rule')
    .filter(({ properties }) => target(properties.Targets[0]?.Arn) === lambda(name).id)
    .map(({ properties }) => properties.ScheduleExpression);

test('A25 the record is sealed every five minutes, and the silence of seals is an alarm', () => {
  expect(scheduleOf('seal')).toEqual(['rate(5 minutes)']);
  const alarms = all<Alarm>(template, 'AWS::CloudWatch::Alarm').map(({ properties }) => properties);
  expect(alarms.filter(({ MetricName }) => MetricName === 'SealsWritten')).toMatchObject([
    { TreatMissingData: 'breaching', ComparisonOperator: 'LessThanThreshold' },
  ]);
});

test('A25 a stream that nothing reads is an alarm long before it forgets', () => {
  const ages = all<Alarm & { readonly Threshold: number }>(template, 'AWS::CloudWatch::Alarm')
    .map(({ properties }) => properties)
    .filter(({ MetricName }) => MetricName === 'IteratorAge');
  expect(ages.map(({ Dimensions = [] }) => target(Dimensions[0]?.Value))).toEqual([lambda('archive-audit').id]);
  expect(ages[0]?.Threshold).toBe(3_600_000);
});

test('A25 a stream or an event source that is off has no age: the silence of the archive is an alarm', () => {
  const alarms = all<Alarm>(template, 'AWS::CloudWatch::Alarm').map(({ properties }) => properties);
  expect(alarms.filter(({ MetricName }) => MetricName === 'EntriesArchived')).toMatchObject([
    { TreatMissingData: 'breaching', ComparisonOperator: 'LessThanThreshold', Period: 3_600 },
  ]);
});

test('A8 reconcile runs each minute, and it is an alarm that no run comes to its end', () => {
  expect(scheduleOf('reconcile')).toEqual(['rate(1 minute)']);
  const alarms = all<Alarm>(template, 'AWS::CloudWatch::Alarm').map(({ properties }) => properties);
  const stopped = alarms.find(({ MetricName }) => MetricName === 'ApprovalsLookedAfter');
  expect(stopped).toMatchObject({
    Statistic: 'SampleCount',
    TreatMissingData: 'breaching',
    ComparisonOperator: 'LessThanThreshold',
  });
});

test('faults raise an alarm, except where throwing is how a function answers the workflow', () => {
  const silent = FUNCTIONS.filter((name) => !metricsOf(lambda(name).id).includes('Errors'));
  expect(silent).toEqual(['request-approval', 'resume']);
  expect(metricsOf(lambda('slack').id)).toContain('Url5xxCount');
});

interface Alarm {
  readonly MetricName?: string;
  readonly Dimensions?: { readonly Value: unknown }[];
  /** The series of an alarm on metric math. */
  readonly Metrics?: { readonly MetricStat?: { readonly Metric: Pick<Alarm, 'MetricName' | 'Dimensions'> } }[];
}

function metricsOf(id: string): string[] {
  return all<Alarm>(template, 'AWS::CloudWatch::Alarm')
    .flatMap(({ properties }) => [
      properties,
      ...(properties.Metrics ?? []).flatMap(({ MetricStat }) => MetricStat?.Metric ?? []),
    ])
    .filter(({ Dimensions }) => Dimensions?.some(({ Value }) => target(Value) === id))
    .map(({ MetricName }) => MetricName ?? '');
}
