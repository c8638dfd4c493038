/** Makes the event that tells of an entry of the record. */
import type { AuditEntry } from '../../contract/index.ts';
import type { GateEvent, GateEventName } from '../../ports/gate-events.ts';
import { type AuditRecord, positionOf } from '../../ports/stores/audit-log.ts';

const NAMES: Readonly<Record<AuditEntry['type'], GateEventName>> = {
  evaluated: 'ProposalDecided',
  decided: 'ProposalDecided',
  refused: 'ProposalRefused',
  cancel: 'ProposalCancelled',
  vote: 'VoteCounted',
  pass: 'ApprovalPassedOn',
  stage: 'StageEnded',
  click: 'ClickRefused',
  operation: 'OperationDone',
  ran: 'CallRan',
};

/** The names of voters and deciders stay in the record: an event states that it was a person, not which. */
export function eventOf(record: AuditRecord, more: GateEvent['detail']): GateEvent {
  const { entry } = record;
  const { outcome, reasonCode, decidedBy, mode, calls, durationUs, accepted, ran } = entry;
  const stated = {
    outcome,
    reasonCode,
    decidedBy: decidedBy && (decidedBy.type === 'human' ? { type: decidedBy.type } : decidedBy),
    mode,
    calls: calls?.map(({ id, toolName, verdict, reason, source }) => ({ id, toolName, verdict, reason, source })),
    durationUs,
    accepted,
    ran: ran && { ...ran, auditDigest: undefined },
    ...more,
  };
  return {
    name: NAMES[entry.type],
    eventVersion: 1,
    at: Date.parse(entry.recordedAt),
    pid: entry.pid,
    proposalId: entry.proposalId,
    agentId: entry.agent,
    ...(entry.sessionId ? { sessionId: entry.sessionId } : {}),
    entry: positionOf(record).id,
    detail: Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)),
  };
}

/** The claim of a proposal that people are asked about is no decision yet. */
export const opened = (event: GateEvent): GateEvent => ({ ...event, name: 'ApprovalOpened' });

/** The event that an entry of the record gave when it was written, without the figures of that moment that no entry holds. */
export function eventOfEntry(record: AuditRecord): GateEvent {
  const event = eventOf(record, record.entry.waitedMs === undefined ? {} : { waitedMs: record.entry.waitedMs });
  return record.entry.type === 'evaluated' && record.verdict === 'ask' ? opened(event) : event;
}
