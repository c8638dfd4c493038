/** Names the figures that an event stands for. Pure. */
import type { MetricName } from '../../../shared/config/metric-names.ts';
import { RECORD_DISAGREES } from '../../../shared/domain/approval/disagreement.ts';
import type { EmittedEvent } from '../../../shared/ports/gate-events.ts';

export interface Figures {
  readonly values: Partial<Record<MetricName, number>>;
  /** Sets of dimensions beside the total's. */
  readonly by: readonly Readonly<Record<string, string>>[];
}

const GAUGE: Readonly<Record<string, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** Names the tool in metrics only if the policy file does: an agent may invent any name. An origin that the file names stays. */
export const withListedTools = (
  all: readonly Figures[],
  isListed: (tool: string) => boolean,
  isListedOrigin: (origin: string) => boolean,
): Figures[] =>
  all.map(({ values, by }) => ({
    values,
    by: by.map((set) => {
      const { tool, origin = 'unknown' } = set;
      if (tool === undefined || isListed(tool)) return set;
      return { tool: 'unknown', origin: isListedOrigin(origin) ? origin : 'unknown' };
    }),
  }));

export function figuresOf(event: EmittedEvent): Figures[] {
  const { detail } = event;
  switch (event.name) {
    case 'ProposalDecided': {
      const time = numberOf(detail['durationUs']);
      return [
        { values: { Decisions: 1 }, by: [{ outcome: textOf(detail['outcome']) }] },
        ...(time === undefined ? [] : [{ values: { DecisionTime: time / 1000 }, by: [] }]),
        ...latency(detail, PATHS[textOf(detail['outcome'])] ?? 'error'),
        ...answer(detail),
        ...(detail['outcome'] === 'error' ? refused(detail) : []),
        ...disagreement(detail),
        ...unread(detail),
      ];
    }
    case 'ApprovalOpened':
      return [{ values: { ApprovalsOpened: 1 }, by: [] }, ...latency(detail, 'ask')];
    case 'ApprovalEnded':
      return [
        { values: { ApprovalsEnded: 1 }, by: [{ status: textOf(detail['status']) }] },
        { values: { ApprovalWait: numberOf(detail['waitedMs']) ?? 0 }, by: [{ status: textOf(detail['status']) }] },
        ...(SILENT.has(detail['status'])
          ? []
          : [
              { values: { TimeToAnswer: numberOf(detail['waitedMs']) ?? 0 }, by: [{ group: textOf(detail['group']) }] },
            ]),
      ];
    case 'ProposalRefused':
      return [...refused(detail), ...disagreement(detail)];
    case 'VoteCounted':
      return [{ values: { VotesCounted: 1 }, by: [] }];
    case 'ToolInvoked':
      return [{ values: { tool_invocations_total: 1 }, by: [seriesOf(event)] }];
    case 'ToolSucceeded':
    case 'ToolFailed':
      return ended(event);
    case 'PolicyApplied':
      return applied(event);
    case 'CircuitOpen':
    case 'CircuitHalfOpen':
    case 'CircuitClosed':
      return [{ values: { circuit_state: GAUGE[textOf(detail['circuitState'])] ?? 0 }, by: [seriesOf(event)] }];
    // Counted where they happen, or with what they are part of: `code` of the errors, `outcome` of the decisions.
    case 'ClickRefused':
    case 'RateLimited':
    case 'BudgetOverrun':
    case 'ProposalCancelled':
    case 'ApprovalPassedOn':
    case 'StageEnded':
    case 'OperationDone':
    case 'CallRan':
    case 'RecordAnchored':
    case 'RecordChanged':
      return [];
    default:
      return event satisfies never;
  }
}

/** Any other outcome of a message that nobody was asked about is an error. */
const PATHS: Readonly<Record<string, string>> = { approved: 'allow', answered: 'allow', denied: 'deny' };

/** The figures of a message that was judged just now. */
function latency(detail: EmittedEvent['detail'], path: string): Figures[] {
  const ms = numberOf(detail['latencyMs']);
  return ms === undefined ? [] : [{ values: { DecisionLatency: ms }, by: [{ path }, { way: textOf(detail['way']) }] }];
}

/** How an approval ends without an answer of people. */
const SILENT: ReadonlySet<unknown> = new Set(['expired', 'cancelled']);

/** The figures of the end of an approval, by time or by an answer. An approval that its agent withdrew has none, because nobody waits for its end. */
function answer(detail: EmittedEvent['detail']): Figures[] {
  const ms = numberOf(detail['answerMs']);
  if (ms === undefined || detail['status'] === 'cancelled') return [];
  return [{ values: detail['status'] === 'expired' ? { ExpiryLag: ms } : { AnswerDelay: ms }, by: [] }];
}

const refused = (detail: EmittedEvent['detail']): Figures[] => [
  { values: { ProposalsRefused: 1 }, by: [{ reason: textOf(detail['reasonCode']) }] },
];

/** Whether the reason shows a forged row, which refused a permit or ended an approval: none of the gate's functions writes such a row. */
const disagreement = (detail: EmittedEvent['detail']): Figures[] =>
  detail['reasonCode'] === RECORD_DISAGREES ? [{ values: { RecordChanged: 1 }, by: [{ change: 'disagrees' }] }] : [];

/** An approval that ended because it could not be read or decided: whoever ended it, an alarm says so. */
const UNREAD: ReadonlySet<unknown> = new Set(['unreadable_row', 'row_gone', 'input_gone', 'cannot_decide']);
const unread = (detail: EmittedEvent['detail']): Figures[] =>
  UNREAD.has(detail['reasonCode']) ? [{ values: { RepairsFailed: 1 }, by: [] }] : [];

type ToolEvent = Extract<EmittedEvent, { readonly tool: string }>;

function seriesOf({ tool, origin }: ToolEvent): Readonly<Record<string, string>> {
  return origin === 'unknown' ? { tool: 'unknown', origin } : { tool, origin };
}

function ended(event: ToolEvent): Figures[] {
  const { detail } = event;
  const series = seriesOf(event);
  const error = detail['error'] as { readonly code?: unknown } | undefined;
  const failed = event.name === 'ToolFailed';
  return [
    {
      values: {
        tool_latency_ms: numberOf(detail['durationMs']) ?? 0,
        tool_retries_total: Math.max(0, (numberOf(detail['attempts']) ?? 1) - 1),
      },
      by: [series],
    },
    {
      values: { tool_errors_total: failed ? 1 : 0 },
      by: failed ? [series, { code: textOf(error?.code) }] : [series],
    },
    ...inUse(detail['inUse'], series),
    ...budgets(detail['budgets']),
  ];
}

const inUse = (value: unknown, series: Readonly<Record<string, string>>): Figures[] => {
  const number = numberOf(value);
  return number === undefined ? [] : [{ values: { concurrency_in_use: number }, by: [series] }];
};

const budgets = (levels: unknown): Figures[] =>
  listOf(levels).map(({ id, used, limit }) => ({
    values: { budget_used: (numberOf(used) ?? 0) / (numberOf(limit) || 1) },
    by: [{ budget: textOf(id) }],
  }));

function applied(event: ToolEvent): Figures[] {
  const { detail } = event;
  // The shared bucket is read, because the call's own limits may be tighter.
  const limiter = recordOf(recordOf(detail['rateLimit'])['limiterState']);
  const available = numberOf(limiter['available']);
  const gauge = GAUGE[textOf(detail['circuitState'])];
  const full = numberOf(limiter['capacity']);
  return [
    {
      values: {
        ...(gauge === undefined ? {} : { circuit_state: gauge }),
        ...(available === undefined || !full ? {} : { rate_limiter_saturation: 1 - available / full }),
      },
      by: [seriesOf(event)],
    },
    ...inUse(recordOf(detail['concurrencyCaps'])['inUse'], seriesOf(event)),
    ...budgets(detail['budgetLevels']),
  ];
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const textOf = (value: unknown): string => (typeof value === 'string' && value ? value : 'unknown');
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const listOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(recordOf) : [];
