/** Combines series for alarms: shares, sums, growth. Local endpoints carry none of it. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';

/** 1 while `bad` is more than `share` of `all`, and at least `enough`: a share of few is an accident. */
export const shareAbove = (
  bad: readonly IMetric[],
  all: readonly IMetric[],
  share: number,
  enough: number,
  period: Duration,
): MathExpression => {
  const sum = (name: string, metrics: readonly IMetric[]) =>
    metrics.map((_, index) => `FILL(${name}${index}, 0)`).join(' + ');
  const named = (name: string, metrics: readonly IMetric[]) =>
    metrics.map((metric, index) => [`${name}${index}`, metric]);
  return new MathExpression({
    expression: `IF((${sum('bad', bad)}) >= ${enough} AND (${sum('bad', bad)}) > ${share} * (${sum('all', all)}), 1, 0)`,
    usingMetrics: Object.fromEntries([...named('bad', bad), ...named('all', all)]) as Record<string, IMetric>,
    period,
  });
};

/** One series beside the one that it is a share of. */
interface Part {
  readonly bad: IMetric;
  readonly all: IMetric;
}

/** 1 while any part is above the share by itself: in a sum, a busy part would hide a quiet one in which everything is bad. */
export const anyShareAbove = (parts: readonly Part[], share: number, enough: number): MathExpression =>
  new MathExpression({
    expression: `IF(${parts.map((_, index) => `(FILL(bad${index}, 0) >= ${enough} AND FILL(bad${index}, 0) > ${share} * FILL(all${index}, 0))`).join(' OR ')}, 1, 0)`,
    usingMetrics: Object.fromEntries(
      parts.flatMap(({ bad, all }, index) => [
        [`bad${index}`, bad],
        [`all${index}`, all],
      ]),
    ),
    period: Duration.minutes(5),
  });

/** The sum of several series, each of which may be silent. */
export const sumOf = (metrics: readonly IMetric[], period: Duration = Duration.minutes(5)): MathExpression =>
  new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period,
  });

/**
 * 1 in each minute in which `metric` has grown. An alarm on the level itself would tell of the first growth only. SQS reports nothing about a queue
 * that nobody used for hours, so that the first message there counts from 0.
 */
export const grown = (metric: IMetric): MathExpression =>
  new MathExpression({
    expression: 'IF(DIFF(FILL(level, 0)) > 0, 1, 0)',
    usingMetrics: { level: metric },
    period: Duration.minutes(1),
  });
