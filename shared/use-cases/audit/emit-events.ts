/**
 * Emits the events of what the gate did, from where it is written.
 *
 * The winner of the conditional write tells of it, once, so the world hears of nothing that did not happen. The use
 * cases know nothing of it.
 */
import type { Approval } from '../../contract/index.ts';
import { isTerminal } from '../../domain/approval/approval.ts';
import type { GateEvent, GateEventSink } from '../../ports/gate-events.ts';
import type { ApprovalStore } from '../../ports/stores/approval-store.ts';
import type { AuditLog, AuditRecord } from '../../ports/stores/audit-log.ts';
import type { Claim, ClaimStore } from '../../ports/stores/claim-store.ts';
import { eventOf, opened } from './entry-event.ts';

export interface EventfulStores {
  readonly claims: ClaimStore;
  readonly approvals: ApprovalStore;
  readonly audit: AuditLog;
}

/** The same stores, telling `sink` of every entry of the record that they wrote. */
export function withEvents<Stores extends EventfulStores>(stores: Stores, sink: GateEventSink): Stores {
  const { claims, approvals, audit } = stores;
  const tell = (record: AuditRecord | undefined, more: GateEvent['detail'] = {}) => {
    if (record) sink.emit(eventOf(record, more));
  };
  return {
    ...stores,
    claims: {
      readBatch: (...given) => claims.readBatch(...given),
      roomFor: (...given) => claims.roomFor(...given),
      async claim(...given) {
        const result = await claims.claim(...given);
        if (result.kind === 'claimed') tell(given[0].record, latencyOf(given[0]));
        return result;
      },
      async open(...given) {
        const result = await claims.open(...given);
        const [claim, opening] = given;
        const { expiresAt } = opening.approval;
        if (result.kind === 'claimed')
          sink.emit(opened(eventOf(claim.record, { group: opening.group, expiresAt, ...latencyOf(claim) })));
        return result;
      },
    },
    approvals: {
      ...approvals,
      async write(...given) {
        if (!(await approvals.write(...given))) return false;
        const [next, record] = given;
        tell(record, { status: next.status });
        // A row is written once more after its end where it waits for a model or a hook, and where its agent withdraws it then.
        const endedBefore = next.deliberating || next.withdrawn;
        if (isTerminal(next.status) && !endedBefore) sink.emit(ended(next));
        return true;
      },
      async finish(...given) {
        const result = await approvals.finish(...given);
        const [approval, record] = given;
        if (result === 'written')
          tell(record, { status: approval.status, waitedMs: waitOf(approval), ...answerOf(approval, record) });
        return result;
      },
      async finishUnread(...given) {
        const result = await approvals.finishUnread(...given);
        if (result === 'written') tell(given[1], { status: 'expired' });
        return result;
      },
    },
    audit: {
      ...audit,
      async put(record) {
        const put = await audit.put(record);
        if (put) tell(record);
        return put;
      },
    },
  };
}

/** Emitted with the write that ended the wait, whether a vote, a cancel or the time did it. */
function ended(approval: Approval): GateEvent {
  const { pid, proposalId, agent, sessionId, status, endedAt, expiresAt, question, stage = 0 } = approval;
  return {
    name: 'ApprovalEnded',
    eventVersion: 1,
    at: Date.parse(endedAt ?? expiresAt),
    pid,
    proposalId,
    agentId: agent,
    sessionId,
    detail: { status, waitedMs: waitOf(approval), group: question.stages[stage]?.group },
  };
}

const waitOf = ({ requestedAt, endedAt, expiresAt }: Approval): number =>
  Math.max(0, Date.parse(endedAt ?? expiresAt) - Date.parse(requestedAt));

/** The wait of the sender for the claim, from the first time that the queue took the message. */
function latencyOf({ journey, record }: Claim): GateEvent['detail'] {
  if (!journey) return {};
  return { latencyMs: Math.max(0, Date.parse(record.entry.recordedAt) - journey.firstSentAt), way: journey.way };
}

/** From people's answer, or the end of the time, to the decision. */
function answerOf({ status, endedAt, expiresAt }: Approval, { entry }: AuditRecord): GateEvent['detail'] {
  if (entry.type !== 'decided') return {};
  const since = status === 'expired' ? expiresAt : (endedAt ?? expiresAt);
  return { answerMs: Math.max(0, Date.parse(entry.recordedAt) - Date.parse(since)) };
}
