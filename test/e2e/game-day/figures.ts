/** Reads the samples of metrics that the deployed functions wrote as lines of their logs (EMF). */
import { DescribeLogGroupsCommand, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import type { MetricName } from '../../../shared/config/metric-names.ts';
import { e2eGate } from '../gate.ts';
import { until } from '../harness/until.ts';
import { seriesOf } from './evaluate-alarm.ts';

/** A sample at its own time, in milliseconds since 1970. */
export interface Figure {
  readonly series: string;
  readonly at: number;
  readonly value: number;
}

interface Line {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [key: string]: unknown;
}

type Dimensions = Readonly<Record<string, string>>;

interface Day {
  readonly figures: readonly Figure[];
}

/** All that the functions wrote since then. */
export async function writtenSince(startTime: number): Promise<Day> {
  const { root } = await e2eGate();
  const { logGroups = [] } = await root.logs.send(new DescribeLogGroupsCommand({ limit: 50 }));
  const lines: string[] = [];
  for (const { logGroupName } of logGroups)
    for await (const { events = [] } of paginateFilterLogEvents({ client: root.logs }, { logGroupName, startTime }))
      lines.push(...events.map(({ message = '' }) => message.trim()));
  const parsed = lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  const figures = parsed.flatMap((line) => ('_aws' in line ? figuresIn(line as unknown as Line) : []));
  return { figures: figures.filter(({ at }) => at >= startTime) };
}

/** Waits until the functions have written so much of a total since then: a message reaches its function when it does. */
export async function written(metric: MetricName, since: number, of: Dimensions = {}, atLeast = 1): Promise<void> {
  const words = [metric, ...Object.entries(of).map(([name, value]) => `${name}=${value}`)];
  // Besides the namespace and the service: a series by another dimension counts the same again.
  const length = words.length + 2;
  await until(`${atLeast} of ${words.join(' ')}`, async () => {
    const { figures } = await writtenSince(since);
    const own = figures.filter(({ series }) => {
      const parts = series.split(' ');
      return parts.length === length && words.every((word) => parts.includes(word));
    });
    return own.reduce((sum, { value }) => sum + value, 0) >= atLeast;
  });
}

export const faultsOf = (verb: GateFunctionName, since: number, atLeast = 1): Promise<void> =>
  written('Faults', since, { function: verb }, atLeast);

function figuresIn(line: Line): Figure[] {
  const { Timestamp: at, CloudWatchMetrics } = line._aws;
  return CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.flatMap(({ Name }) => {
        const dimensions = names.map((name) => ({ Name: name, Value: line[name] }));
        const series = seriesOf({ Namespace, MetricName: Name, Dimensions: dimensions });
        return [line[Name]].flat().map((value) => ({ series, at, value: Number(value) }));
      }),
    ),
  );
}
