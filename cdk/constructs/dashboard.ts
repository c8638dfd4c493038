/** Builds the gate's dashboard: decisions, waits, tools, and late or dead messages. */
import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  PeriodOverride,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { eachSeries, gateMetric } from './metrics.ts';
import type { GateQueues } from './queues.ts';

export function gateDashboard(
  scope: Construct,
  deployment: string,
  queues: GateQueues,
  alarms: readonly Alarm[],
): Dashboard {
  const minute = Duration.minutes(1);
  const total = (name: Parameters<typeof gateMetric>[1], statistic: string) =>
    gateMetric(deployment, name, statistic, {}, minute);
  const each = (name: Parameters<typeof eachSeries>[1], statistic: string, set = 0) =>
    eachSeries(deployment, name, statistic, set);
  const percentiles = [50, 95, 99].map((rank) => `p${rank}`);
  const live = Object.entries({
    proposals: queues.proposals,
    deferred: queues.deferred,
    operators: queues.operators,
    cards: queues.cards,
    talk: queues.conversation,
    executions: queues.executions,
    outcomes: queues.outcomes,
    webhooks: queues.webhooks,
  });

  return new Dashboard(scope, 'Dashboard', {
    periodOverride: PeriodOverride.INHERIT,
    widgets: [
      [heading(`${deployment}: what the gate decides`)],
      [
        graph('Decisions by outcome', [each('Decisions', 'Sum')]),
        graph(
          'Time to decide, ms',
          percentiles.map((rank) => total('DecisionTime', rank)),
        ),
        graph('Waiting for people', [total('ApprovalsWaiting', Stats.MAXIMUM)]),
      ],
      [
        graph('Approvals: opened, ended', [total('ApprovalsOpened', Stats.SUM), each('ApprovalsEnded', 'Sum')]),
        graph(
          'Time people take, ms',
          percentiles.map((rank) => total('ApprovalWait', rank)),
        ),
        graph('Clicks: counted, refused', [total('VotesCounted', Stats.SUM), each('ClicksRefused', 'Sum')]),
      ],
      [heading('Tools, each by its origin')],
      [
        graph('Latency p50, ms', [each('tool_latency_ms', 'p50')]),
        graph('Latency p95, ms', [each('tool_latency_ms', 'p95')]),
        graph('Latency p99, ms', [each('tool_latency_ms', 'p99')]),
      ],
      [
        graph('Error rate, 0 to 1', [each('tool_errors_total', 'Average')]),
        graph('Errors by code', [each('tool_errors_total', 'Sum', 1)]),
        graph('Calls and retries', [each('tool_invocations_total', 'Sum'), each('tool_retries_total', 'Sum')]),
      ],
      [
        graph('Breakers: 0 closed, 1 half-open, 2 open', [each('circuit_state', 'Maximum')]),
        graph('Rate limiters, 1 is empty', [each('rate_limiter_saturation', 'Maximum')]),
        graph('Concurrency in use', [each('concurrency_in_use', 'Maximum')]),
      ],
      [graph('Budgets used, 1 is all', [each('budget_used', 'Maximum')])],
      [heading('Queues and faults')],
      [
        graph(
          'Age of the oldest message, s',
          live.map(([label, queue]) => queue.metricApproximateAgeOfOldestMessage({ label, period: minute })),
        ),
        graph(
          'Dead letters',
          queues.dead.map((queue) => visible(queue, minute)),
        ),
        graph('Put back, refused, lost', [
          total('ProposalsReturned', Stats.SUM),
          total('ProposalsRenewed', Stats.SUM),
          total('DeadLettersAnswered', Stats.SUM),
          total('DeadLettersUnanswered', Stats.SUM),
          total('CardsRefused', Stats.SUM),
          total('CardsAside', Stats.SUM),
          total('RepliesLost', Stats.SUM),
          total('RowsOrphaned', Stats.SUM),
          total('CardsDelayed', Stats.SUM),
          total('CardsBlocked', Stats.SUM),
          total('ForgedRequests', Stats.SUM),
          total('RepairsFailed', Stats.SUM),
          total('EventsLost', Stats.SUM),
        ]),
      ],
      [new AlarmStatusWidget({ title: 'Alarms', width: 24, height: 6, alarms: [...alarms] })],
    ],
  });
}

const heading = (markdown: string): IWidget => new TextWidget({ markdown: `## ${markdown}`, width: 24, height: 1 });

const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: 8, height: 6 });

const visible = (queue: IQueue, period: Duration): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM, label: queue.node.id });
