/** Makes alarms on Slack: cards not posted, and requests unanswered, late or not Slack's. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../../shared/config/metric-names.ts';
import { type AlarmOptions, alarmAt, alarmBelow, cause, logOf, ticket } from '../alarm/alarm.ts';
import { gateMetric } from '../alarm/metrics.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';

const period = Duration.minutes(5);
const minute = Duration.minutes(1);
/** Slack shows an error after three seconds. */
const SLOW_CLICK_MS = 2_500;

/** Faults that a person has to mend before cards are posted again. An outage of Slack shows in the alarm on the queue's age instead. */
const BLOCKED: Readonly<Record<string, readonly ['cause' | 'ticket', string]>> = {
  channel_gone: [
    'ticket',
    'A channel of approvers is deleted, archived or hidden from the app: its cards are not posted',
  ],
  not_in_channel: ['ticket', 'The app was removed from a channel of approvers: invite it again, its cards wait'],
  token_refused: [
    'cause',
    'Slack refuses the bot token (revoked, expired or wrong), or its secret is not filled: no card is posted',
  ],
  missing_scope: ['cause', 'The Slack app lacks a scope of its manifest: install it again with all of them'],
};

export function ofSlack(functions: GateFunctions, { deployment }: AlarmOptions): AlarmBase[] {
  const { slack, 'slack-out': out } = functions;
  const url = (metricName: string, statistic: string, each: Duration) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { FunctionName: slack.function.functionName },
      statistic,
      period: each,
    });
  const sum = (name: MetricName, each = period) => gateMetric(deployment, name, Stats.SUM, {}, each);
  const blocked = Object.entries(BLOCKED).map(([problem, [tier, loses]]) => {
    const metric = gateMetric(deployment, 'CardsBlocked', Stats.SUM, { problem });
    const told = ['cards-blocked', loses, 'countersign pending'] as const;
    const text = tier === 'cause' ? cause('questions', ...told) : ticket(...told);
    return alarmAt(out, `Blocked${problem.replaceAll('_', '')}Alarm`, metric, 1, text);
  });
  return [
    ...blocked,
    alarmBelow(
      out,
      'UnreachableAlarm',
      gateMetric(deployment, 'SlackReachable', Stats.MAXIMUM),
      1,
      ticket(
        'cards-blocked',
        'Slack has refused the token or its scopes to the canary for a quarter of an hour, or does not answer',
        'countersign doctor',
      ),
      { of: 3 },
    ),
    alarmAt(
      out,
      'RefusedAlarm',
      sum('CardsRefused'),
      1,
      ticket(
        'cards-refused',
        'Slack refused a card: its approval waits in the command line alone',
        'countersign pending',
      ),
    ),
    alarmAt(
      out,
      'AsideAlarm',
      sum('CardsAside'),
      1,
      ticket(
        'cards-set-aside',
        'A message to Slack failed three times. A card is tried again within a quarter of an hour; an announcement, or news of a run, is dropped',
        logOf('slack-out'),
      ),
    ),
    alarmAt(
      slack,
      'UnansweredAlarm',
      url('Url5xxCount', 'Sum', period),
      3,
      cause(
        'clicks',
        'slack-is-not-answered',
        'Slack gets no answer, and clicks do not count: the secret is missing or empty, or a fault',
        logOf('slack'),
      ),
    ),
    alarmAt(
      slack,
      'SlowAlarm',
      url('UrlRequestLatency', 'p99', minute),
      SLOW_CLICK_MS,
      ticket(
        'slow-clicks',
        'Clicks take so long that Slack shows people an error',
        'the Duration and the throttled tables on the dashboard',
      ),
      { of: 5, breach: 3 },
    ),
    alarmAt(
      slack,
      'ForgedAlarm',
      sum('ForgedRequests'),
      50,
      ticket(
        'forged-requests',
        'Somebody sends requests that Slack has not signed, or the signing secret is wrong',
        logOf('slack'),
      ),
    ),
  ];
}
