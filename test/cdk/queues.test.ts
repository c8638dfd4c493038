/** Checks the queues of the stack: their encryption, dead letters, alarms and order. */
import { describe, expect, inject, test } from 'vitest';
import { all, behind, one, type TemplateJson, target } from './support/template.ts';

const template = JSON.parse(inject('production')) as TemplateJson;

interface Queue {
  readonly SqsManagedSseEnabled?: boolean;
  readonly MessageRetentionPeriod: number;
  readonly VisibilityTimeout?: number;
  readonly FifoQueue?: boolean;
  readonly RedrivePolicy?: { readonly deadLetterTargetArn: unknown; readonly maxReceiveCount: number };
}
interface Mapping {
  readonly EventSourceArn: unknown;
  readonly FunctionName: unknown;
  readonly BatchSize: number;
  readonly FunctionResponseTypes: string[];
  readonly ScalingConfig: { readonly MaximumConcurrency: number };
  readonly StartingPosition?: string;
  readonly FilterCriteria?: { readonly Filters: readonly { readonly Pattern: string }[] };
}
interface Alarm {
  readonly MetricName: string;
  readonly Threshold: number;
  readonly Dimensions: { readonly Name: string; readonly Value: unknown }[];
}

const queues = all<Queue>(template, 'AWS::SQS::Queue');
const live = queues.filter(({ properties }) => properties.RedrivePolicy);
const dead = queues.filter(({ properties }) => !properties.RedrivePolicy);
const sources = all<Mapping>(template, 'AWS::Lambda::EventSourceMapping');
const isStream = ({ properties }: (typeof sources)[number]) => JSON.stringify(properties).includes('StreamArn');
const mappings = sources.filter((source) => !isStream(source));

/** The id of the function that a mapping calls, perhaps by its alias. */
const functionOf = (reference: unknown): string => {
  const alias = /"Ref":"(\w+Live\w+)"/.exec(JSON.stringify(reference))?.[1];
  if (alias === undefined) return target(reference);
  return target(behind<{ FunctionName: unknown }>(template, { Ref: alias }).FunctionName);
};

const alarmsOn = (queue: string, metric: string) =>
  all<Alarm>(template, 'AWS::CloudWatch::Alarm').filter(
    ({ properties }) =>
      properties.MetricName === metric && properties.Dimensions.some(({ Value }) => target(Value) === queue),
  );

describe('queues', () => {
  test('there are eight, each with a dead-letter queue of its own', () => {
    expect(live).toHaveLength(8);
    expect(new Set(live.map(({ properties }) => target(properties.RedrivePolicy?.deadLetterTargetArn)))).toEqual(
      new Set(dead.map(({ id }) => id)),
    );
  });

  test.each(queues)('$id is encrypted and takes no plain HTTP', ({ id, properties }) => {
    expect(properties.SqsManagedSseEnabled).toBe(true);
    const policies = all<{ Queues: unknown[]; PolicyDocument: { Statement: unknown[] } }>(
      template,
      'AWS::SQS::QueuePolicy',
    ).filter(({ properties: policy }) => policy.Queues.some((queue) => target(queue) === id));
    expect(policies.flatMap(({ properties: policy }) => policy.PolicyDocument.Statement)).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Action: 'sqs:*',
        Principal: { AWS: '*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]);
  });

  test.each(live)('$id sets a message aside after some receipts and says when it is late', ({ id, properties }) => {
    const receipts: Readonly<Record<string, number>> = {
      // A message that met a store fault is sent anew: these are for what fails by itself.
      Proposals: 5,
      Deferred: 5,
      // Nobody but its sender may send it: a store that is down for hours is waited out.
      Operators: 20,
      Executions: 20,
      Outcomes: 20,
      // Cards outlast a day without Slack (A22); an answer is waited for as long as somebody may still sit there.
      Cards: 1_000,
      Talk: 10,
      // A receiver outside that is down for a day.
      Webhooks: 8,
    };
    const name = Object.keys(receipts).find((one) => id.startsWith(`GateQueues${one}`)) ?? id;
    expect(properties.RedrivePolicy?.maxReceiveCount).toBe(receipts[name]);
    expect(alarmsOn(id, 'ApproximateAgeOfOldestMessage')).toHaveLength(1);
  });

  test.each(dead)('$id keeps messages fourteen days and raises an alarm for the first', ({ id, properties }) => {
    expect(properties.MessageRetentionPeriod).toBe(14 * 86_400);
    const alarms = alarmsOn(id, 'ApproximateNumberOfMessagesVisible');
    expect(alarms.map(({ properties: alarm }) => alarm.Threshold)).toEqual([1]);
  });

  test('A10 a proposal that nobody worked is gone after a day', () => {
    expect(one<Queue>(template, 'AWS::SQS::Queue', 'GateQueuesProposals').properties.MessageRetentionPeriod).toBe(
      86_400,
    );
  });

  test('A22 a card waits for as long as SQS keeps anything: its row says whether it is still posted', () => {
    expect(one<Queue>(template, 'AWS::SQS::Queue', 'GateQueuesCards').properties.MessageRetentionPeriod).toBe(
      14 * 86_400,
    );
  });

  test('FIFO queues are in high throughput mode', () => {
    const fifo = queues.filter(({ properties }) => properties.FifoQueue);
    expect(fifo.length).toBe(4);
    for (const { properties } of fifo)
      expect(properties).toMatchObject({
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      });
  });

  test('A22 cards are a FIFO queue, and an alarm fires when one has waited two minutes', () => {
    const cards = one<Queue>(template, 'AWS::SQS::Queue', 'GateQueuesCards');
    expect(cards.properties.FifoQueue).toBe(true);
    expect(alarmsOn(cards.id, 'ApproximateAgeOfOldestMessage')[0]?.properties.Threshold).toBe(120);
  });
});

describe('event sources', () => {
  test.each([
    ['Proposals', 'Evaluate', 10, 50],
    ['Deferred', 'Deliberate', 1, 20],
    ['Operators', 'Operate', 1, 2],
    ['Cards', 'SlackOut', 1, 10],
    ['Talk', 'Converse', 1, 10],
    ['Executions', 'ExecuteTool', 1, 50],
    ['Outcomes', 'CollectOutcomes', 10, 10],
    ['Webhooks', 'SendWebhooks', 10, 5],
    // Dead letters whose sender waits for an answer.
    ['ProposalsDead', 'Deliberate', 1, 2],
    ['DeferredDead', 'Deliberate', 1, 2],
    ['ExecutionsDead', 'ExecuteTool', 1, 2],
    ['OperatorsDead', 'Operate', 1, 2],
    ['OutcomesDead', 'CollectOutcomes', 1, 2],
    ['TalkDead', 'Converse', 1, 2],
  ])('%s goes to %s, %i at a time, %i at once', (queue, name, size, most) => {
    const source = one(template, 'AWS::SQS::Queue', `GateQueues${queue}`).id;
    const lambda = one(template, 'AWS::Lambda::Function', `Gate${name}Function`).id;
    const [mapping, ...others] = mappings.filter(({ properties }) => target(properties.EventSourceArn) === source);
    expect(others).toEqual([]);
    expect(functionOf(mapping?.properties.FunctionName)).toBe(lambda);
    expect(mapping?.properties).toMatchObject({
      BatchSize: size,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: most },
    });
  });

  test.each(mappings)('$id: a message stays hidden six times as long as its function may run', ({ properties }) => {
    const { Timeout: seconds } = behind<{ Timeout: number }>(template, { Ref: functionOf(properties.FunctionName) });
    const { VisibilityTimeout: hidden = 30 } = behind<Queue>(template, properties.EventSourceArn);
    expect(hidden).toBeGreaterThanOrEqual(6 * seconds);
  });

  test('A25 the whole stream of the record goes to the one function that archives it and raises the alarm', () => {
    const streams = sources.filter(isStream);
    const watcher = one(template, 'AWS::Lambda::Function', 'GateArchiveAuditFunction').id;
    expect(streams.map(({ properties }) => target(properties.FunctionName))).toEqual([watcher]);
    const [stream] = streams.map(({ properties }) => properties);
    expect(stream?.StartingPosition).toBe('TRIM_HORIZON');
    expect(stream).not.toHaveProperty('FilterCriteria');
    const alarms = all<{ MetricName: string; Threshold: number }>(template, 'AWS::CloudWatch::Alarm');
    expect(alarms.filter(({ properties }) => properties.MetricName === 'RecordChanged')).toMatchObject([
      { properties: { Threshold: 1 } },
    ]);
  });
});
