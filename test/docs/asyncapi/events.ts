/** Describes the events that the gate puts on EventBridge: the compiler names one that is missing. */
import type { GateEventName } from '../../../shared/ports/gate-events.ts';
import type { GuardrailEventName } from '../../../shared/ports/guardrail-events.ts';

export const EVENTS: Readonly<Record<GateEventName | GuardrailEventName, string>> = {
  ProposalDecided: 'A proposal was judged, or its decision is final.',
  ProposalRefused: 'A message or a permit was refused.',
  ProposalCancelled: 'An agent withdrew a proposal.',
  ApprovalOpened: 'People are asked.',
  ApprovalEnded: 'The wait for people is over.',
  ApprovalPassedOn: 'A person passed the question on to others.',
  StageEnded: 'One stage of an approval is complete.',
  VoteCounted: 'A vote of a person counts.',
  ClickRefused: 'A click of a person did not count.',
  OperationDone: 'An operation of an operator was carried out, or refused.',
  CallRan: 'An approved call was run, and its outcome is on the record.',
  ToolInvoked: 'A tool is called.',
  ToolSucceeded: 'A tool answered.',
  ToolFailed: 'A tool failed.',
  PolicyApplied: 'The guardrails of a call were resolved.',
  RateLimited: 'A limit of calls refused a call.',
  CircuitOpen: 'A tool that keeps failing is left alone.',
  CircuitHalfOpen: 'One call probes a tool that failed.',
  CircuitClosed: 'A tool answers again.',
  BudgetOverrun: 'A budget is used up.',
};

/** The `detail` of an entry, as `shared/adapters/eventbridge/event-detail.ts` writes it. Fields are added only. */
export const EVENT_DETAIL = {
  type: 'object',
  required: ['event', 'eventVersion', 'at', 'deployment', 'agentId', 'detail'],
  properties: {
    event: { enum: Object.keys(EVENTS), description: 'The same as the detail type.' },
    eventVersion: { const: 1 },
    at: { type: 'string', format: 'date-time' },
    deployment: { type: 'string' },
    agentId: { type: 'string' },
    pid: { type: ['string', 'null'], description: 'Key of the proposal in the record; null where there is none.' },
    proposalId: { type: ['string', 'null'] },
    sessionId: { type: 'string' },
    correlationId: { type: 'string' },
    causationId: { type: 'string', description: 'Key of the proposal that a run belongs to.' },
    tool: { type: 'string' },
    origin: { type: 'string' },
    requestId: { type: 'string', description: 'The invocation that emitted it, as in the logs.' },
    detail: {
      type: 'object',
      description: 'Names and figures; nothing of an input, a person or a secret. `cut: true` if it was too large.',
    },
  },
} as const;
