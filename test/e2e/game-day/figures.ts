/** Reads the samples of metrics that the deployed functions wrote as lines of their logs (EMF). */
import { DescribeLogGroupsCommand, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { e2eGate } from '../gate.ts';
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

export interface Day {
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
