/** Makes the alarms on functions: faults, refused calls, a reconciler that stands still. */
import { Duration } from 'aws-cdk-lib';
import { type Alarm, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { alarmAt, alarmWithout } from './alarm.ts';
import type { GateFunctions } from './gate-functions.ts';
import { gateMetric } from './metrics.ts';

const period = Duration.minutes(5);
/** A run each minute finds rows that have been due for up to a minute. */
const BEHIND_MS = 180_000;
/** The stream keeps entries for a day: people have 23 hours. */
const STREAM_BEHIND_MS = 3_600_000;
/** A process that stops leaves two counters wrong; so many in five minutes are no accident. */
const MAX_RECOUNTED = 20;

/** Faults that a person has to mend before cards are posted again. An outage of Slack shows in the alarm on the queue's age instead. */
const BLOCKED = {
  channel_gone: 'A channel of approvers is deleted, archived or hidden from the app: its cards are not posted',
  not_in_channel: 'The app was removed from a channel of approvers: invite it again, its cards wait',
  token_refused: 'Slack refuses the bot token (revoked, expired or wrong): no card is posted',
  missing_scope: 'The Slack app lacks a scope of its manifest: install it again with all of them',
} as const;

export function gateAlarms(scope: Construct, deployment: string, functions: GateFunctions): Alarm[] {
  const each = Object.values(functions).flatMap((one) => {
    const { function: lambda, name } = one;
    const throttled = alarmAt(
      one,
      'ThrottlesAlarm',
      lambda.metricThrottles({ period }),
      1,
      `${name} was refused its concurrency`,
    );
    // Two functions answer the workflow by throwing; their faults are the workflow's, which has an alarm for each bad end.
    if (one.answersByThrowing) return [throttled];
    return [
      throttled,
      alarmAt(one, 'ErrorsAlarm', lambda.metricErrors({ period }), 1, `${name} failed or ran out of time`),
    ];
  });
  const { slack, reconcile } = functions;
  const unanswered = new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Url5xxCount',
    dimensionsMap: { FunctionName: slack.function.functionName },
    statistic: 'Sum',
    period,
  });
  const refused = gateMetric(deployment, 'CardsRefused', Stats.SUM);
  const blocked = Object.entries(BLOCKED).map(([problem, what]) => {
    const metric = gateMetric(deployment, 'CardsBlocked', Stats.SUM, { problem });
    return alarmAt(functions['slack-out'], `Blocked${problem.replaceAll('_', '')}Alarm`, metric, 1, what);
  });
  return [
    ...each,
    ...blocked,
    alarmAt(functions['slack-out'], 'RefusedAlarm', refused, 1, 'Slack refused a card: its approval waits in the CLI'),
    alarmAt(
      functions['slack-out'],
      'AsideAlarm',
      gateMetric(deployment, 'CardsAside', Stats.SUM),
      1,
      'A message to Slack failed three times for a reason of its own. A card is tried again within a quarter of an hour (`countersign pending`); an announcement, or news of a run, is dropped: the log of slack-out names it',
    ),
    alarmAt(slack, 'UnansweredAlarm', unanswered, 1, 'Slack got no answer: the secret is missing or empty, or a fault'),
    alarmWithout(
      reconcile,
      'StoppedAlarm',
      reconcile.function.metricInvocations({ period }),
      'reconcile has not run for five minutes: what a crash left is not repaired',
    ),
    alarmWithout(
      functions.seal,
      'StoppedAlarm',
      gateMetric(deployment, 'SealsWritten', Stats.SUM, {}, Duration.minutes(15)),
      'The record has not been sealed for a quarter of an hour: what is archived meanwhile could be changed unnoticed',
    ),
    alarmAt(
      functions['archive-audit'],
      'BehindAlarm',
      functions['archive-audit'].function.metric('IteratorAge', { period, statistic: Stats.MAXIMUM }),
      STREAM_BEHIND_MS,
      'The record has waited an hour to be archived. Its stream forgets after a day: mend archive-audit before then, see its errors',
    ),
    alarmAt(
      reconcile,
      'BehindAlarm',
      gateMetric(deployment, 'OldestDue', Stats.MAXIMUM),
      BEHIND_MS,
      'reconcile is behind: reminders, escalations and repairs are late by minutes',
    ),
    alarmAt(
      functions.deliberate,
      'DeadLettersAlarm',
      gateMetric(deployment, 'DeadLettersAnswered', Stats.SUM),
      1,
      'Messages could not be worked as often as their queue delivers them, and were answered: the record has an entry dead_letter for each but the word that an approval goes on, which reconcile repeats; the log names them',
    ),
    alarmAt(
      functions.deliberate,
      'UnansweredLettersAlarm',
      gateMetric(deployment, 'DeadLettersUnanswered', Stats.SUM),
      1,
      'Messages were set aside and cannot be answered yet: they wait in a dead-letter queue, hidden until the next try, within twelve hours; a log of deliberate, execute-tool, operate, collect-outcomes or converse names the fault',
    ),
    alarmAt(
      reconcile,
      'OrphansAlarm',
      gateMetric(deployment, 'RowsOrphaned', Stats.SUM),
      1,
      'Rows that were due belong to nothing, and reconcile let go of them; or the row of an approval that waited is gone. A log of reconcile or resume names them',
    ),
    alarmAt(
      reconcile,
      'PlacesAlarm',
      gateMetric(deployment, 'PlacesRecounted', Stats.SUM),
      MAX_RECOUNTED,
      'Counters of what waits keep being wrong: functions stop between an approval and its counter, see their errors',
    ),
    ...ofTools(new Construct(scope, 'ToolAlarms'), deployment),
  ];
}

/** For an agent with a queue of its own. */
export const replyAlarm = (scope: Construct, deployment: string, agent: string): Alarm =>
  alarmAt(
    scope,
    `RepliesLost${agent}Alarm`,
    gateMetric(deployment, 'RepliesLost', Stats.SUM, { agent }),
    1,
    `The queue of agent ${agent} takes no decisions: it is deleted, or its key or policy refuses the gate. The decisions stand in the record`,
  );

/** On the totals over all tools: which tool it is, the dashboard shows. */
function ofTools(scope: Construct, deployment: string): Alarm[] {
  const worst = (name: 'circuit_state' | 'budget_used') => gateMetric(deployment, name, Stats.MAXIMUM);
  const sum = (name: 'EventsLost' | 'RepairsFailed' | 'RecordChanged') => gateMetric(deployment, name, Stats.SUM);
  return [
    alarmAt(scope, 'CircuitAlarm', worst('circuit_state'), 2, 'A circuit breaker is open: a tool keeps failing'),
    alarmAt(scope, 'BudgetAlarm', worst('budget_used'), 0.9, 'A budget is nine tenths used up'),
    alarmAt(scope, 'EventsLostAlarm', sum('EventsLost'), 1, 'Events could not be put on the bus; the record has them'),
    alarmAt(
      scope,
      'RecordAlarm',
      sum('RecordChanged'),
      1,
      'Somebody changed the record, or forged an approval: the log of archive-audit, or an entry with the reason record_disagrees, names it',
    ),
    alarmAt(
      scope,
      'RepairsAlarm',
      sum('RepairsFailed'),
      1,
      'reconcile could not repair an approval, or ended one that cannot be read: its log names it',
    ),
  ];
}
