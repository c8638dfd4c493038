/**
 * Makes alarms that are quiet where nothing happens.
 *
 * Records the tier of each alarm, and the text for its reader.
 */
import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** A page wakes somebody: agents or people wait. A ticket is for the next working day. */
export type Tier = 'page' | 'ticket';

export interface AlarmText {
  readonly tier: Tier;
  /** The loss of a user, as a sentence without its full stop. */
  readonly loses: string;
  /** The command, or the log, to begin with. */
  readonly first: string;
  /** A heading of docs/runbook.md, as its link has it. */
  readonly section: string;
}

export interface AlarmOptions {
  readonly deployment: string;
  /** Local endpoints carry no metric math: shares are plain counts there. */
  readonly development: boolean;
  /** Whether the canary runs on a schedule: without one its silence is no fault. */
  readonly hasCanary: boolean;
}

export const ticket = (section: string, loses: string, first: string): AlarmText => ({
  tier: 'ticket',
  section,
  loses,
  first,
});
export const page = (section: string, loses: string, first: string): AlarmText => ({
  ...ticket(section, loses, first),
  tier: 'page',
});

/** The faults of a function, as its log shows them. */
export const logOf = (name: string) => `the log of ${name}, filter { $.fault = * }`;

interface Periods {
  /** How many periods are looked at, and how many of them have to breach. */
  readonly of: number;
  readonly breach?: number;
}

const texts = new WeakMap<Alarm, AlarmText>();

/** @throws Error for an alarm that was not made here. */
export function textOf(alarm: Alarm): AlarmText {
  const text = texts.get(alarm);
  if (!text) throw new Error(`${alarm.node.path} has no text`);
  return text;
}

/** The words that whoever is told reads first. */
export const descriptionOf = (deployment: string, { loses, first, section }: AlarmText): string =>
  `${deployment}: ${loses}. First: ${first}. Then: docs/runbook.md#${section}`;

export function alarmAt(
  scope: Construct,
  id: string,
  metric: Metric | MathExpression,
  threshold: number,
  text: AlarmText,
  { of, breach = of }: Periods = { of: 1 },
): Alarm {
  return remember(
    metric.createAlarm(scope, id, {
      threshold,
      evaluationPeriods: of,
      ...(breach === of ? {} : { datapointsToAlarm: breach }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }),
    text,
  );
}

/** For what has to happen all the time: silence is the fault. */
export function alarmWithout(scope: Construct, id: string, metric: Metric | MathExpression, text: AlarmText): Alarm {
  return remember(
    metric.createAlarm(scope, id, {
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    }),
    text,
  );
}

/** 1 while `bad` is more than `share` of `all`, and at least `enough`: a share of few is an accident. */
export const shareAbove = (
  bad: readonly IMetric[],
  all: readonly IMetric[],
  share: number,
  enough: number,
  period: Duration = Duration.minutes(5),
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

/** 1 in each minute in which `metric` has grown: an alarm on a level tells of the first only. */
export const grown = (metric: IMetric): MathExpression =>
  new MathExpression({
    expression: 'IF(DIFF(FILL(level, REPEAT)) > 0, 1, 0)',
    usingMetrics: { level: metric },
    period: Duration.minutes(1),
  });

function remember(alarm: Alarm, text: AlarmText): Alarm {
  texts.set(alarm, text);
  return alarm;
}
