/** Alarms on the functions: faults, refused calls, and a reconciler that stands still. Queues and workflow bring their own. */
import { Duration } from 'aws-cdk-lib';
import { type Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { alarmAt, alarmWithout } from './alarm.ts';
import type { GateFunctions } from './gate-functions.ts';

const period = Duration.minutes(5);

/** What somebody has to mend before cards are posted again; with Slack down, the age of the queue has an alarm (A22). */
const BLOCKED = {
  channel_gone: 'A channel of approvers is deleted, archived or hidden from the app: its cards are not posted',
  not_in_channel: 'The app was removed from a channel of approvers: invite it again, its cards wait',
  token_refused: 'Slack refuses the bot token (revoked, expired or wrong): no card is posted',
  missing_scope: 'The Slack app lacks a scope of its manifest: install it again with all of them',
} as const;

export function gateAlarms(functions: GateFunctions): Alarm[] {
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
  const refused = new Metric({
    namespace: 'Countersign',
    metricName: 'CardsRefused',
    dimensionsMap: { service: 'countersign' },
    statistic: 'Sum',
    period,
  });
  const blocked = Object.entries(BLOCKED).map(([problem, what]) => {
    const dimensionsMap = { service: 'countersign', problem };
    const metric = new Metric({
      namespace: 'Countersign',
      metricName: 'CardsBlocked',
      dimensionsMap,
      statistic: 'Sum',
      period,
    });
    return alarmAt(functions['slack-out'], `Blocked${problem.replaceAll('_', '')}Alarm`, metric, 1, what);
  });
  return [
    ...each,
    ...blocked,
    alarmAt(functions['slack-out'], 'RefusedAlarm', refused, 1, 'Slack refused a card: its approval waits in the CLI'),
    alarmAt(
      slack,
      'UnansweredAlarm',
      unanswered,
      1,
      'Slack got no answer: the secret is missing or empty (G42), or a fault',
    ),
    alarmWithout(
      reconcile,
      'StoppedAlarm',
      reconcile.function.metricInvocations({ period }),
      'reconcile has not run for five minutes: what a crash left is not repaired (A8)',
    ),
  ];
}
