/** Reads the totals of all metrics of a deployment, five minutes a value. */
import { type CloudWatchClient, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { METRICS, type MetricName, NAMESPACE } from '../../config/metric-names.ts';

interface MetricTotal {
  readonly metric: MetricName;
  readonly statistic: string;
  /** Newest first. */
  readonly values: readonly (readonly [at: string, value: number])[];
}

/** Metrics without a value are left out. */
export async function metricTotals(
  client: CloudWatchClient,
  deployment: string,
  since: number,
  now: number,
): Promise<MetricTotal[]> {
  const names = Object.keys(METRICS) as MetricName[];
  const statisticOf = (name: MetricName) => (METRICS[name].unit === 'Count' ? 'Sum' : 'Maximum');
  const pages = paginateGetMetricData(
    { client },
    {
      StartTime: new Date(since),
      EndTime: new Date(now),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: names.map((MetricName, index) => ({
        Id: `m${index}`,
        MetricStat: {
          Metric: { Namespace: NAMESPACE, MetricName, Dimensions: [{ Name: 'service', Value: deployment }] },
          Period: 300,
          Stat: statisticOf(MetricName),
        },
      })),
    },
  );
  const values = new Map<MetricName, (readonly [string, number])[]>();
  for await (const { MetricDataResults = [] } of pages)
    for (const { Id = '', Timestamps = [], Values = [] } of MetricDataResults) {
      const metric = names[Number(Id.slice(1))];
      if (metric === undefined || !Values.length) continue;
      const more = Values.map((value, index) => [Timestamps[index]?.toISOString() ?? '', value] as const);
      values.set(metric, [...(values.get(metric) ?? []), ...more]);
    }
  return [...values].map(([metric, all]) => ({ metric, statistic: statisticOf(metric), values: all }));
}
