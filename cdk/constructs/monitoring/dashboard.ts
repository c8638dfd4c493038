/** Builds the gate's dashboard in four rows: whether it is healthy, who waits, machines, tools. */
import { Duration } from 'aws-cdk-lib';
import {
  type AlarmBase,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  PeriodOverride,
  SingleValueWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { isWritten, METRICS, type MetricMode, type MetricName } from '../../../shared/config/metric-names.ts';
import { OBJECTIVES, type Objective, type ObjectiveName } from '../../../shared/config/objectives.ts';
import { textOf } from '../alarm/alarm.ts';
import { eachSeries, gateMetric } from '../alarm/metrics.ts';
import type { GateQueues } from '../data/queues.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';
import { OBJECTIVE_TEXTS } from './objective-texts.ts';
import { budgetLeft } from './objectives.ts';

const minute = Duration.minutes(1);
const PERCENTILES = ['p50', 'p95', 'p99'];

interface Watched {
  readonly deployment: string;
  readonly metrics: MetricMode;
}
interface Pictured {
  readonly queues: GateQueues;
  readonly functions: GateFunctions;
}

export function gateDashboard(
  scope: Construct,
  { deployment, metrics }: Watched,
  { queues, functions }: Pictured,
  alarms: readonly AlarmBase[],
): Dashboard {
  const pages = alarms.filter((alarm) => textOf(alarm).tier === 'page');
  const rows = new Rows(deployment, metrics);
  return new Dashboard(scope, 'Dashboard', {
    periodOverride: PeriodOverride.INHERIT,
    widgets: [
      ...rows.healthy(queues, [...pages, ...alarms.filter((alarm) => !pages.includes(alarm))]),
      ...rows.waiting(),
      ...rows.machines(queues, functions),
      ...rows.tools(),
    ],
  });
}

class Rows {
  readonly #deployment: string;
  readonly #metrics: MetricMode;

  constructor(deployment: string, metrics: MetricMode) {
    this.#deployment = deployment;
    this.#metrics = metrics;
  }

  healthy(queues: GateQueues, alarms: readonly AlarmBase[]): IWidget[][] {
    const objectives = Object.entries(OBJECTIVES as Readonly<Record<string, Objective>>);
    return [
      [
        heading(
          `${this.#deployment}: is it healthy? \`countersign status\` shows the same; docs/runbook.md has a section for each alarm, pages first`,
        ),
      ],
      [new AlarmStatusWidget({ title: 'Alarms', width: 24, height: 6, alarms: [...alarms] })],
      [
        new SingleValueWidget({
          title: 'Budget left, %, in the time that is shown',
          width: 12,
          height: 4,
          setPeriodToTimeRange: true,
          metrics: objectives.map(([name, { share }]) => budgetLeft(this.#deployment, name, share)),
        }),
        new SingleValueWidget({
          title: 'Canary: passed, wrong verdicts, Slack',
          width: 6,
          height: 4,
          metrics: [
            this.#total('CanaryPassed', Stats.SUM),
            this.#total('CanaryWrong', Stats.SUM),
            this.#total('SlackReachable', Stats.MINIMUM),
          ],
        }),
        new SingleValueWidget({
          title: 'Ages, ms',
          width: 6,
          height: 4,
          metrics: [
            this.#total('OldestWaiting', Stats.MAXIMUM),
            this.#total('OldestDue', Stats.MAXIMUM),
            this.#total('OldestPause', Stats.MAXIMUM),
          ],
        }),
      ],
      [
        graph(
          'Dead letters',
          queues.dead.map((queue) => visible(queue)),
        ),
        graph('Faults by function', [this.#each('Faults', 'Sum')]),
        graph('Questions that nobody can see', [this.#total('WaitingWithoutCard', Stats.MAXIMUM)]),
      ],
    ];
  }

  waiting(): IWidget[][] {
    return [
      [heading('Who waits? `countersign pending` names the questions')],
      [
        graph('Oldest question by group, ms', [this.#each('OldestWaiting', 'Maximum')]),
        graph('Time to answer by group, ms', [this.#each('TimeToAnswer', 'p50'), this.#each('TimeToAnswer', 'p95')]),
        graph('Waiting for people', [this.#total('ApprovalsWaiting', Stats.MAXIMUM)]),
      ],
      [
        graph('Approvals: opened, ended', [
          this.#total('ApprovalsOpened', Stats.SUM),
          this.#each('ApprovalsEnded', 'Sum'),
        ]),
        this.#held('From question to card, ms', 'cards'),
        this.#held('From click to answer, ms', 'clicks'),
      ],
      [
        this.#held("From people's answer to decision, ms", 'answers'),
        this.#held('From the end of the time to decision, ms', 'endings'),
        graph('Clicks: counted, refused', [this.#total('VotesCounted', Stats.SUM), this.#each('ClicksRefused', 'Sum')]),
      ],
    ];
  }

  machines(queues: GateQueues, functions: GateFunctions): IWidget[][] {
    const each = Object.values(functions);
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
    const put: MetricName[] = [
      ...(['ProposalsReturned', 'ProposalsRenewed', 'DeadLettersAnswered', 'DeadLettersUnanswered'] as const),
      ...(['CardsRefused', 'CardsAside', 'CardsDelayed', 'CardsBlocked', 'RepliesLost', 'RowsOrphaned'] as const),
      ...(['ForgedRequests', 'RepairsFailed', 'EventsLost'] as const),
    ];
    return [
      [heading('Machines')],
      [
        graph('Decisions by outcome', [this.#each('Decisions', 'Sum')]),
        this.#held('From first send to decision or question, ms', 'decisions'),
        graph('The same by path, p95', [this.#each('DecisionLatency', 'p95')]),
      ],
      [
        graph(
          'Age of the oldest message, s',
          live.map(([label, queue]) => queue.metricApproximateAgeOfOldestMessage({ label, period: minute })),
        ),
        graph(
          'Put back, refused, lost',
          put.map((name) => this.#total(name, Stats.SUM)),
        ),
        graph('Proposals refused, by reason', [this.#each('ProposalsRefused', 'Sum')]),
      ],
      [
        graph(
          'Starts and time-outs by function',
          each.map(({ function: one, name }) => one.metricErrors({ label: name, period: minute })),
        ),
        graph(
          'Throttles by function',
          each.map(({ function: one, name }) => one.metricThrottles({ label: name, period: minute })),
        ),
        graph(
          'Duration by function, p99, ms',
          each.map(({ function: one, name }) => one.metricDuration({ label: name, period: minute, statistic: 'p99' })),
        ),
      ],
      [
        graph('Models: calls, errors', [this.#each('ModelCalls', 'Sum'), this.#each('ModelErrors', 'Sum', 1)]),
        graph('Models: latency p95, ms', [this.#each('ModelLatency', 'p95')]),
        graph('Hooks: calls, errors, latency p95', [
          this.#each('HookCalls', 'Sum'),
          this.#each('HookErrors', 'Sum', 1),
          this.#each('HookLatency', 'p95'),
        ]),
      ],
    ];
  }

  tools(): IWidget[][] {
    return [
      [heading('Tools, each by its origin')],
      PERCENTILES.map((rank) => graph(`Latency ${rank}, ms`, [this.#each('tool_latency_ms', rank)])),
      [
        graph('Error rate, 0 to 1', [this.#each('tool_errors_total', 'Average')]),
        graph('Errors by code', [this.#each('tool_errors_total', 'Sum', 1)]),
        graph('Calls and retries', [
          this.#each('tool_invocations_total', 'Sum'),
          this.#each('tool_retries_total', 'Sum'),
        ]),
      ],
      [
        graph('Breakers: 0 closed, 1 half-open, 2 open', [this.#each('circuit_state', 'Maximum')]),
        graph('Rate limiters, 1 is empty', [this.#each('rate_limiter_saturation', 'Maximum')]),
        graph('Concurrency in use', [this.#each('concurrency_in_use', 'Maximum')]),
      ],
      [graph('Budgets used, 1 is all', [this.#each('budget_used', 'Maximum')])],
    ];
  }

  /** The percentiles of a measure beside the bound of its objective. */
  #held(title: string, objective: ObjectiveName): IWidget {
    const { metric, withinMs } = OBJECTIVES[objective];
    const { good } = OBJECTIVE_TEXTS[objective];
    const left = PERCENTILES.map((rank) => this.#total(metric, rank));
    return new GraphWidget({ title, left, width: 8, height: 6, leftAnnotations: [{ value: withinMs, label: good }] });
  }

  #total(name: MetricName, statistic: string): IMetric {
    return gateMetric(this.#deployment, name, statistic, {}, minute);
  }

  #each(name: MetricName, statistic: string, set = 0): IMetric {
    const by: readonly (readonly string[])[] = METRICS[name].by;
    return isWritten(this.#metrics, name, by[set] ?? [])
      ? eachSeries(this.#deployment, name, statistic, set)
      : this.#total(name, statistic);
  }
}

const heading = (markdown: string): IWidget => new TextWidget({ markdown: `## ${markdown}`, width: 24, height: 1 });

const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: 8, height: 6 });

const visible = (queue: IQueue): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible({
    period: minute,
    statistic: Stats.MAXIMUM,
    label: queue.node.id,
  });
