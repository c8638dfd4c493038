/** Makes alarms on others than the gate: tools, models, hooks, approvers and agents. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../../shared/config/metric-names.ts';
import { type AlarmOptions, alarmAt, cause, ticket } from '../alarm/alarm.ts';
import { shareAbove } from '../alarm/alarm-math.ts';
import { gateMetric } from '../alarm/metrics.ts';

const quarter = Duration.minutes(15);
const hour = Duration.hours(1);

/** On the totals over all tools, models and hooks: which one it is, the dashboard shows. */
export function ofDependencies(scope: Construct, { deployment, development }: AlarmOptions): AlarmBase[] {
  const own = new Construct(scope, 'ToolAlarms');
  const sum = (name: MetricName) => gateMetric(deployment, name, Stats.SUM, {}, quarter);
  const failing = (what: 'Model' | 'Hook') =>
    alarmAt(
      own,
      `${what}sAlarm`,
      development ? sum(`${what}Errors`) : shareAbove([sum(`${what}Errors`)], [sum(`${what}Calls`)], 0.2, 2, quarter),
      development ? 10 : 1,
      ticket(
        'models-and-hooks',
        `A ${what.toLowerCase()} fails: its calls become questions to people`,
        'the log of deliberate, filter { $.dependency = * }',
      ),
    );
  return [
    failing('Model'),
    failing('Hook'),
    alarmAt(
      own,
      'CircuitAlarm',
      gateMetric(deployment, 'circuit_state', Stats.MAXIMUM),
      2,
      ticket(
        'breaker-open',
        'A circuit breaker is open: calls of a tool that keeps failing are refused',
        'the breakers on the dashboard',
      ),
    ),
  ];
}

/** On agents and approvers, whom no fault of the gate keeps waiting. */
export function ofPeople(scope: Construct, { deployment, development }: AlarmOptions): AlarmBase[] {
  const own = new Construct(scope, 'PeopleAlarms');
  const ended = (status?: string) =>
    gateMetric(deployment, 'ApprovalsEnded', Stats.SUM, status === undefined ? {} : { status }, hour);
  const refused = (reason?: string) =>
    gateMetric(deployment, 'ProposalsRefused', Stats.SUM, reason === undefined ? {} : { reason }, quarter);
  const worked = gateMetric(deployment, 'ProposalsWorked', Stats.SUM, {}, quarter);
  const allRefused = () =>
    alarmAt(
      own,
      'AllRefusedAlarm',
      shareAbove([refused()], [worked], 0.95, 10, quarter),
      1,
      cause(
        'decisions',
        'refused-proposals',
        'All proposals are refused before they are judged: every agent gets errors',
        'the reasons of ProposalsRefused on the dashboard',
      ),
    );
  return [
    ...(development ? [] : [allRefused()]),
    alarmAt(
      own,
      'UnansweredAlarm',
      development ? ended('expired') : shareAbove([ended('expired')], [ended()], 0.5, 5, hour),
      development ? 5 : 1,
      ticket('nobody-answers', 'Most questions expire: nobody answers in Slack', 'countersign pending'),
    ),
    alarmAt(
      own,
      'RefusedAlarm',
      development ? refused() : shareAbove([refused()], [worked], 0.2, 10, quarter),
      development ? 10 : 1,
      ticket(
        'refused-proposals',
        'Many proposals are refused before they are judged: agents get errors',
        'the reasons of ProposalsRefused on the dashboard',
      ),
    ),
    alarmAt(
      own,
      'UnregisteredAlarm',
      refused('unregistered_sender'),
      5,
      ticket(
        'refused-proposals',
        'Somebody who is registered as no agent sends proposals, or an agent is deployed under another role',
        'the senders in the record',
      ),
    ),
  ];
}
