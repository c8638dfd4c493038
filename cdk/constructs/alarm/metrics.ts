/** Names the metrics that the functions write. Only names of `shared/config/metric-names.ts` compile. */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS, type MetricName, NAMESPACE } from '../../../shared/config/metric-names.ts';

/** The total of a metric; with `dimensions`, one of its series. */
export function gateMetric(
  deployment: string,
  metricName: MetricName,
  statistic: string,
  dimensions: Readonly<Record<string, string>> = {},
  period: Duration = Duration.minutes(5),
): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { service: deployment, ...dimensions },
    statistic,
    period,
  });
}

/** Every series of a metric, whichever tools, budgets or outcomes there are: found when the dashboard is looked at. */
export function eachSeries(deployment: string, metricName: MetricName, statistic: string, set: number): MathExpression {
  const by: readonly (readonly string[])[] = METRICS[metricName].by;
  const names = by[set];
  if (!names) throw new Error(`${metricName} has no series beside its total`);
  const schema = `{${[NAMESPACE, 'service', ...names].join(',')}}`;
  return new MathExpression({
    expression: `SEARCH('${schema} MetricName="${metricName}" service="${deployment}"', '${statistic}', 60)`,
    label: '',
    usingMetrics: {},
    period: Duration.minutes(1),
  });
}
