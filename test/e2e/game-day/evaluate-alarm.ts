/**
 * Evaluates an alarm of a template as CloudWatch does: each minute, over the windows that end then.
 *
 * Knows the statistics, the metric math and the treatment of missing data that the gate's alarms use, and no others.
 */
import { runInNewContext } from 'node:vm';

interface MetricOf {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}
export interface AlarmOf extends MetricOf {
  readonly AlarmName: string;
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly TreatMissingData?: string;
  readonly Period?: number;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Metrics?: readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: MetricOf; readonly Period: number; readonly Stat: string };
  }[];
}

/** One value of a series, so many milliseconds after the fault began; what was before it is negative. */
export interface Sample {
  readonly series: string;
  readonly atMs: number;
  readonly value: number;
}

/** The name of a series, as samples have it: the namespace, the metric and its dimensions in order. */
export function seriesOf({ Namespace, MetricName, Dimensions = [] }: MetricOf): string {
  const dimensions = Dimensions.map(({ Name, Value }) => `${Name}=${textOf(Value)}`).toSorted();
  return [Namespace, MetricName, ...dimensions].join(' ');
}

/** A literal, or the logical id behind a reference without the CDK's hash. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': attribute } = value as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
  return (Ref ?? attribute?.[0] ?? JSON.stringify(value)).replace(/[0-9A-F]{8}$/, '');
}

/** Every series that the alarm reads. */
export const seriesIn = ({ Metrics, ...alarm }: AlarmOf): string[] =>
  Metrics ? Metrics.flatMap(({ MetricStat }) => (MetricStat ? [seriesOf(MetricStat.Metric)] : [])) : [seriesOf(alarm)];

const MINUTE_MS = 60_000;

/** Minutes after the fault began until the alarm stands, looked at once a minute; undefined: not within `horizonMs`. */
export function minutesUntilAlarm(alarm: AlarmOf, samples: readonly Sample[], horizonMs: number): number | undefined {
  for (let at = MINUTE_MS; at <= horizonMs; at += MINUTE_MS) if (stands(alarm, samples, at)) return at / MINUTE_MS;
  return undefined;
}

/** Whether the alarm stands at `atMs`. */
export function stands(alarm: AlarmOf, samples: readonly Sample[], atMs: number): boolean {
  const { EvaluationPeriods: of, DatapointsToAlarm: needed = of, TreatMissingData: missing } = alarm;
  const points = Array.from({ length: of }, (_, index) => pointOf(alarm, samples, atMs, index));
  const breaching = points.filter((point) => (point === undefined ? missing === 'breaching' : breaches(alarm, point)));
  return breaching.length >= needed;
}

function breaches({ ComparisonOperator: operator, Threshold }: AlarmOf, value: number): boolean {
  if (operator === 'GreaterThanOrEqualToThreshold') return value >= Threshold;
  if (operator === 'LessThanThreshold') return value < Threshold;
  throw new Error(`no alarm of the gate compares by ${operator}`);
}

/** The value of the period that ends `back` periods before `atMs`; undefined without data. */
function pointOf(alarm: AlarmOf, samples: readonly Sample[], atMs: number, back: number): number | undefined {
  const { Metrics, Period = 300, Statistic, ExtendedStatistic } = alarm;
  if (!Metrics) {
    const stat = Statistic ?? ExtendedStatistic ?? '';
    return statisticOf(stat, valuesIn(samples, seriesOf(alarm), atMs, back, Period));
  }
  const expression = Metrics.find(({ Expression }) => Expression !== undefined)?.Expression ?? '';
  let moved = back;
  const variables = Object.defineProperties(
    {
      IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
      FILL: (value: number | undefined, filled: number) => value ?? filled,
      DIFF: (read: () => number) => {
        const now = read();
        moved += 1;
        const before = read();
        moved -= 1;
        return now - before;
      },
    },
    Object.fromEntries(
      Metrics.flatMap(({ Id, MetricStat: one }) =>
        one
          ? [
              [
                Id,
                {
                  get: () => statisticOf(one.Stat, valuesIn(samples, seriesOf(one.Metric), atMs, moved, one.Period)),
                },
              ],
            ]
          : [],
      ),
    ),
  );
  const text = expression.replaceAll(' AND ', ' && ').replaceAll(' OR ', ' || ').replaceAll('DIFF(', 'DIFF(() => ');
  const value: unknown = runInNewContext(text, variables);
  if (typeof value !== 'number' || Number.isNaN(value)) throw new Error(`${expression} is no number`);
  return value;
}

function valuesIn(samples: readonly Sample[], series: string, atMs: number, back: number, periodS: number): number[] {
  const end = atMs - back * periodS * 1_000;
  const start = end - periodS * 1_000;
  return samples.flatMap((one) => (one.series === series && one.atMs >= start && one.atMs < end ? [one.value] : []));
}

function statisticOf(stat: string, values: readonly number[]): number | undefined {
  if (!values.length) return stat === 'SampleCount' ? 0 : undefined;
  const sum = values.reduce((total, value) => total + value, 0);
  if (stat === 'Sum') return sum;
  if (stat === 'Maximum') return Math.max(...values);
  if (stat === 'Minimum') return Math.min(...values);
  if (stat === 'Average') return sum / values.length;
  if (stat === 'SampleCount') return values.length;
  const rank = /^p(\d+)$/.exec(stat)?.[1];
  if (rank === undefined) throw new Error(`no alarm of the gate uses the statistic ${stat}`);
  return values.toSorted((a, b) => a - b)[Math.ceil((Number(rank) / 100) * values.length) - 1];
}
