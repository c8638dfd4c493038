/** Makes alarms on the service level objectives, and on how long people and agents wait. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { OBJECTIVES, type Objective, type ObjectiveName } from '../../../shared/config/objectives.ts';
import { type AlarmOptions, alarmAt, cause, ticket } from '../alarm/alarm.ts';
import { gateMetric } from '../alarm/metrics.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';
import { OBJECTIVE_TEXTS } from './objective-texts.ts';

/** Fewer samples in a period are an accident. */
const MIN_SAMPLES = 10;
/** At this speed a budget of 28 days is spent in two days; the second speed spends it in nine. */
const FAST = 14.4;
const SLOW = 3;
const minute = Duration.minutes(1);
const DAY_MS = 86_400_000;

/**
 * Makes an alarm for each objective. An alarm of CloudWatch has one period, so that several periods in a row stand for the long window of a burn
 * rate. The last of them stands for the short window: it ends the alarm soon after the cause. Local endpoints compute no metric math, so that a
 * development stack has none of these alarms.
 */
export function ofObjectives(scope: Construct, { deployment, development }: AlarmOptions): AlarmBase[] {
  if (development) return [];
  const own = new Construct(scope, 'Objectives');
  return Object.entries(OBJECTIVES as Readonly<Record<string, Objective>>).flatMap(([name, objective]) => {
    const { raises, share } = objective;
    const { loses } = OBJECTIVE_TEXTS[name as ObjectiveName];
    const first = 'countersign status, then the row of the dashboard on who waits';
    const slow = alarmAt(
      own,
      `${name}SlowBurnAlarm`,
      burn(deployment, name, share, Duration.hours(1)),
      SLOW,
      ticket('objectives', `${loses}, in hours of the last six`, first),
      { of: 6, breach: 3 },
    );
    if (raises === undefined) return [slow];
    const fast = burn(deployment, name, share, Duration.minutes(5));
    return [
      slow,
      alarmAt(own, `${name}FastBurnAlarm`, fast, FAST, cause(raises, 'objectives', loses, first), { of: 3 }),
    ];
  });
}

/** How many times as fast as it may the budget of an objective is spent; 0 with few samples. */
const burn = (deployment: string, objective: string, share: number, period: Duration): MathExpression => {
  const of = (statistic: string) => gateMetric(deployment, 'Sli', statistic, { objective }, period);
  return new MathExpression({
    expression: `IF(FILL(samples, 0) >= ${MIN_SAMPLES}, (1 - FILL(good, 1)) / ${round(1 - share)}, 0)`,
    usingMetrics: { good: of(Stats.AVERAGE), samples: of(Stats.SAMPLE_COUNT) },
    period,
  });
};

/** The percentage of the budget that is left in the time that a widget shows. */
export const budgetLeft = (deployment: string, objective: string, share: number): MathExpression =>
  new MathExpression({
    label: objective,
    expression: `100 * (1 - (1 - ${idOf(objective)}) / ${round(1 - share)})`,
    usingMetrics: { [idOf(objective)]: gateMetric(deployment, 'Sli', Stats.AVERAGE, { objective }) },
  });

/** An id of metric math has no dash. */
const idOf = (objective: string): string => objective.replaceAll('-', '');
const round = (share: number): number => Number(share.toFixed(6));

export function ofAges({ reconcile }: GateFunctions, { deployment }: AlarmOptions): AlarmBase[] {
  return [
    alarmAt(
      reconcile,
      'HiddenAlarm',
      gateMetric(deployment, 'WaitingWithoutCard', Stats.MAXIMUM, {}, minute),
      1,
      cause(
        'questions',
        'questions-without-a-card',
        'Questions have waited ten minutes for people who cannot see them in Slack',
        'countersign pending',
      ),
      { of: 10 },
    ),
    alarmAt(
      reconcile,
      'PauseAlarm',
      gateMetric(deployment, 'OldestPause', Stats.MAXIMUM),
      DAY_MS,
      ticket('pause-that-holds-for-long', 'A pause has held for a day: it may be forgotten', 'countersign status'),
    ),
  ];
}
