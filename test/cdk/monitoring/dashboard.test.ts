/**
 * Checks that dashboard and alarms name only metrics and dimensions that the code writes.
 *
 * `test/functions/runtime/figures` checks the metrics themselves.
 */
import { describe, expect, inject, test } from 'vitest';
import { METRICS, type MetricName, NAMESPACE } from '../../../shared/config/metric-names.ts';
import { all, type TemplateJson } from '../support/template.ts';

const template = JSON.parse(inject('production')) as TemplateJson;

/** The dashboard's JSON with references as `${…}`. */
function dashboard(): { widgets: { type: string; properties: Widget }[] } {
  const [found] = all<{ DashboardBody: string | { 'Fn::Join': [string, unknown[]] } }>(
    template,
    'AWS::CloudWatch::Dashboard',
  );
  const body = found?.properties.DashboardBody ?? '{}';
  if (typeof body === 'string') return JSON.parse(body);
  const parts = body['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'reference'));
  return JSON.parse(parts.join(''));
}

interface Widget {
  readonly title?: string;
  readonly metrics?: readonly (readonly (string | { readonly expression?: string })[])[];
}

/** `Name [dimension names]` of every metric of ours that a widget shows. */
function shown(): string[] {
  const metrics = dashboard().widgets.flatMap(({ properties }) => properties.metrics ?? []);
  return metrics.flatMap(([first, second, ...rest]) => {
    if (typeof first === 'object') {
      // Metric math names its metrics beside it.
      if (!first.expression?.startsWith('SEARCH')) return [];
      const [, schema = '', name = ''] =
        /^SEARCH\('\{([^}]*)\} MetricName="([^"]*)"/.exec(first.expression ?? '') ?? [];
      const [namespace, ...dimensions] = schema.split(',');
      expect(namespace, first.expression).toBe(NAMESPACE);
      return [`${name} ${dimensions.join()}`];
    }
    const names = rest.filter((part, index) => index % 2 === 0 && typeof part === 'string');
    const inOrder = names.toSorted((a, b) => Number(b === 'service') - Number(a === 'service'));
    return first === NAMESPACE ? [`${String(second)} ${inOrder.join()}`] : [];
  });
}

const written = Object.entries(METRICS).flatMap(([name, { by }]) =>
  [[], ...by].map((dimensions) => `${name} ${['service', ...dimensions].join()}`),
);

describe('the dashboard', () => {
  test('is deployed by default', () => {
    expect(all(template, 'AWS::CloudWatch::Dashboard')).toHaveLength(1);
  });

  test('names only metrics and dimensions that the functions write', () => {
    expect(shown().length).toBeGreaterThan(25);
    expect(shown().filter((metric) => !written.includes(metric))).toEqual([]);
  });

  test('shows what a user is promised', () => {
    const promised: MetricName[] = [
      'tool_latency_ms',
      'tool_errors_total',
      'circuit_state',
      'rate_limiter_saturation',
      'concurrency_in_use',
      'budget_used',
      'Decisions',
      'ApprovalsWaiting',
      'Sli',
      'OldestWaiting',
      'TimeToAnswer',
      'CardDelay',
      'ClickAck',
      'DecisionLatency',
      'Faults',
    ];
    const names = shown().map((metric) => metric.split(' ')[0]);
    for (const name of promised) expect(names).toContain(name);
    const titles = dashboard().widgets.map(({ properties }) => properties.title);
    expect(titles).toEqual(
      expect.arrayContaining([
        'Latency p50, ms',
        'Latency p95, ms',
        'Latency p99, ms',
        'Age of the oldest message, s',
        'Dead letters',
      ]),
    );
  });

  test('shows every queue’s age and every dead-letter queue', () => {
    const bodies = JSON.stringify(dashboard());
    const queues = all(template, 'AWS::SQS::Queue').length;
    expect(bodies.match(/ApproximateAgeOfOldestMessage/g)).toHaveLength(queues / 2);
    expect(bodies.match(/ApproximateNumberOfMessagesVisible/g)).toHaveLength(queues / 2);
  });

  test('has four rows, the first of which is about health', () => {
    const headings = dashboard().widgets.flatMap(({ type, properties }) =>
      type === 'text' ? [(properties as { markdown?: string }).markdown ?? ''] : [],
    );
    expect(headings.map((one) => one.slice(3, 30))).toEqual([
      expect.stringContaining('is it healthy'),
      expect.stringContaining('Who waits'),
      'Machines',
      expect.stringContaining('Tools'),
    ]);
  });

  test('lists every alarm, pages first', () => {
    const listed = dashboard().widgets.find(({ type }) => type === 'alarm')?.properties as { alarms?: unknown[] };
    expect(listed.alarms).toHaveLength(
      ['Alarm', 'CompositeAlarm'].flatMap((type) => all(template, `AWS::CloudWatch::${type}`)).length,
    );
  });
});

describe('alarms', () => {
  interface Alarm {
    readonly Namespace?: string;
    readonly MetricName?: string;
    readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
  }
  const ours = all<Alarm>(template, 'AWS::CloudWatch::Alarm')
    .map(({ properties }) => properties)
    .filter(({ Namespace }) => Namespace === NAMESPACE);

  test('on metrics of ours name what the functions write, of this deployment', () => {
    const sorted = (series: string) => series.split(/[ ,]/).toSorted().join();
    const known = new Set(written.map(sorted));
    const named = ours.map(({ MetricName, Dimensions = [] }) =>
      sorted([MetricName, ...Dimensions.map(({ Name }) => Name)].join()),
    );
    expect(named.filter((metric) => !known.has(metric))).toEqual([]);
    for (const { Dimensions } of ours)
      expect(Dimensions?.find(({ Name }) => Name === 'service')?.Value).toBe('Gate-Test');
  });

  test('tell of open breakers, events and repairs that fail, and of no budget: an agent may use what it has', () => {
    const names = ours.map(({ MetricName }) => MetricName);
    expect(names).toEqual(expect.arrayContaining(['circuit_state', 'EventsLost', 'RepairsFailed', 'CardsRefused']));
    expect(names).not.toContain('budget_used');
  });
});
