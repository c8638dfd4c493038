/**
 * Lists every event that the gate emits, with its meaning and its figures.
 *
 * `docs/events.md` shows the same list.
 */

interface EventFacts {
  /** One sentence for people. */
  readonly about: string;
  /** Keys that the event's detail may have. */
  readonly detail: readonly string[];
}

const of = <Names extends string>(events: Readonly<Record<Names, EventFacts>>) => events;

/** Fields that an event takes from an entry of the record, and from the approval that it changed. */
const ENTRY = [
  ...(['outcome', 'reasonCode', 'decidedBy', 'mode', 'calls', 'durationUs'] as const),
  ...(['accepted', 'ran', 'status', 'waitedMs'] as const),
] as const;
const LEVELS = ['durationMs', 'attempts', 'budgets', 'inUse'] as const;

/** Events of the gate. The process that wins the conditional write of a fact emits its event. */
export const GATE_EVENTS = of({
  ProposalDecided: { about: 'A proposal has its decision.', detail: [...ENTRY, 'latencyMs', 'way', 'answerMs'] },
  ProposalRefused: { about: 'A message was refused before it was decided.', detail: ENTRY },
  ProposalCancelled: { about: 'An agent withdrew its proposal.', detail: ENTRY },
  ApprovalOpened: {
    about: 'People are asked about a proposal.',
    detail: [...ENTRY, 'group', 'expiresAt', 'latencyMs', 'way'],
  },
  ApprovalEnded: { about: 'People are not asked any longer.', detail: ['status', 'waitedMs', 'group'] },
  ApprovalPassedOn: { about: 'An approval went to another group or person.', detail: ENTRY },
  StageEnded: { about: 'One stage of an approval ended.', detail: ENTRY },
  VoteCounted: { about: 'A vote of a person counted.', detail: ENTRY },
  ClickRefused: { about: 'A click of a person did not count.', detail: ENTRY },
  OperationDone: { about: 'An operator changed, or tried to change, something.', detail: ENTRY },
  CallRan: { about: 'An approved call ended.', detail: ENTRY },
});

/** Names of the events that guardrails tell about a call. */
export type GuardrailEventName =
  | 'ToolInvoked'
  | 'ToolSucceeded'
  | 'ToolFailed'
  | 'PolicyApplied'
  | 'RateLimited'
  | 'CircuitOpen'
  | 'CircuitHalfOpen'
  | 'CircuitClosed'
  | 'BudgetOverrun';

/** Events of the guardrails around a call. */
const GUARDRAIL_EVENTS = of<GuardrailEventName>({
  ToolInvoked: { about: 'A call was admitted and begins.', detail: ['headers', 'redactions'] },
  ToolSucceeded: { about: 'A call succeeded.', detail: LEVELS },
  ToolFailed: { about: 'A call failed.', detail: ['error', 'isRetryable', ...LEVELS] },
  PolicyApplied: {
    about: 'The guardrails of a call were resolved.',
    detail: [
      ...['timeoutMs', 'retryPolicy', 'rateLimit', 'circuitState', 'concurrencyCaps'],
      ...['budgets', 'budgetLevels', 'effect', 'clamped', 'layers'],
    ],
  },
  RateLimited: {
    about: 'A limit refused a call.',
    detail: ['limiterId', 'scope', 'tokensRequested', 'retryAfterMs'],
  },
  CircuitOpen: { about: 'A circuit breaker opened: the tool keeps failing.', detail: ['circuitState'] },
  CircuitHalfOpen: { about: 'A circuit breaker lets a probe through.', detail: ['circuitState'] },
  CircuitClosed: { about: 'A circuit breaker closed: the tool works again.', detail: ['circuitState'] },
  BudgetOverrun: { about: 'A call would have spent more than its budget has.', detail: ['budgetId', 'reserved'] },
});

/** Events of the archived record. */
export const RECORD_EVENTS = of({
  RecordAnchored: {
    about: 'The newest seal of the record, once a day: keep its hash outside of the account.',
    detail: ['number', 'hash'],
  },
  RecordChanged: { about: 'Somebody changed or removed an entry of the record.', detail: ['change', 'sequenceNumber'] },
});

type EventName = keyof typeof GATE_EVENTS | GuardrailEventName | keyof typeof RECORD_EVENTS;

export const EVENTS: Readonly<Record<EventName, EventFacts>> = {
  ...GATE_EVENTS,
  ...GUARDRAIL_EVENTS,
  ...RECORD_EVENTS,
};

export const EVENT_NAMES = Object.keys(EVENTS) as [EventName, ...EventName[]];

/** The type of a CloudEvent: `ApprovalPassedOn` of version 1 is `dev.countersign.approval.passed-on.v1`. */
export function eventTypeOf(name: EventName, version: number): string {
  const [subject = '', ...happened] = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return `dev.countersign.${subject}.${happened.join('-')}.v${version}`;
}
