/** Makes alarms on repairs: the reconciler, and the answers to dead letters. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../../shared/config/metric-names.ts';
import { type AlarmOptions, alarmAt, alarmWithout, cause, logOf, ticket } from '../alarm/alarm.ts';
import { gateMetric } from '../alarm/metrics.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';

const period = Duration.minutes(5);
const minute = Duration.minutes(1);
/** A run each minute finds rows that have been due for up to a minute. */
const BEHIND_MS = 300_000;
/** A process that stops leaves two counters wrong; so many in five minutes are no accident. */
const MAX_RECOUNTED = 20;

export function ofReconciler(
  { reconcile, deliberate, resume }: GateFunctions,
  { deployment }: AlarmOptions,
): AlarmBase[] {
  const sum = (name: MetricName) => gateMetric(deployment, name, Stats.SUM);
  return [
    alarmWithout(
      reconcile,
      'StoppedAlarm',
      // Written by a run that came to the end of what is due, be it nothing. One that fails each minute is no better than none.
      gateMetric(deployment, 'ApprovalsLookedAfter', Stats.SAMPLE_COUNT, {}, period),
      cause(
        'repairs',
        'reconcile-stopped',
        'No run of reconcile has come to its end for five minutes: what a crash left is not repaired',
        `the rule of the schedule, and ${logOf('reconcile')}`,
      ),
    ),
    alarmAt(
      reconcile,
      'BehindAlarm',
      gateMetric(deployment, 'OldestDue', Stats.MAXIMUM, {}, minute),
      BEHIND_MS,
      cause(
        'repairs',
        'reconcile-behind',
        'Reminders, escalations, expiries and repairs are late by minutes',
        logOf('reconcile'),
      ),
      { of: 3 },
    ),
    alarmAt(
      deliberate,
      'DeadLettersAlarm',
      sum('DeadLettersAnswered'),
      1,
      ticket(
        'dead-letters',
        'Messages could not be processed as often as their queue delivers them, and were answered with dead_letter',
        'countersign dead list',
      ),
    ),
    alarmAt(
      deliberate,
      'UnansweredLettersAlarm',
      sum('DeadLettersUnanswered'),
      1,
      cause(
        'decisions',
        'dead-letters',
        'Messages were set aside and cannot be answered: their senders wait for up to twelve hours',
        logOf('deliberate, execute-tool, operate, collect-outcomes or converse'),
      ),
    ),
    alarmAt(
      reconcile,
      'OrphansAlarm',
      sum('RowsOrphaned'),
      1,
      ticket(
        'rows-without-an-approval',
        'Rows that were due belong to nothing, or the row of an approval that waited, or of all pauses, is gone',
        logOf(`reconcile or ${resume.name}`),
      ),
    ),
    alarmAt(
      reconcile,
      'PlacesAlarm',
      sum('PlacesRecounted'),
      MAX_RECOUNTED,
      ticket(
        'counters-of-what-waits',
        'Counters of what waits keep being wrong: agents may be refused too early',
        logOf('evaluate'),
      ),
    ),
    alarmAt(
      reconcile,
      'RepairsAlarm',
      sum('RepairsFailed'),
      1,
      ticket('repairs', 'reconcile could not repair an approval, or ended one that cannot be read', logOf('reconcile')),
    ),
  ];
}
