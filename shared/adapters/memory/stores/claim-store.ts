/** Stores claims in memory: put once, or with an approval in one step when people are asked. */
import * as z from 'zod';
import { decision } from '../../../contract/decision.ts';
import { asStored } from '../../../contract/stored.ts';
import { sha256Hex } from '../../../domain/digest.ts';
import type { AuditRecord } from '../../../ports/stores/audit-log.ts';
import { type ClaimStore, DEFAULT_LIMITS, mostWaiting, type StoredClaim } from '../../../ports/stores/claim-store.ts';
import type { InputStore } from '../../../ports/stores/input-store.ts';
import { NO_WRITES } from '../../../ports/stores/session-store.ts';
import { appendEntry } from './journal-store.ts';
import { anyOf, readCopy, toCopy } from './json-copy.ts';
import { fits, viewOf, writeSessions } from './session-store.ts';
import { type ApprovalRow, type AuditRow, getOrAdd, type MemoryState } from './state.ts';

/** Most bytes of a proposal that stands in its entry. */
const MAX_TEXT_BYTES = 512;

export function memoryClaimStore(state: MemoryState, inputs: InputStore, limits = DEFAULT_LIMITS): ClaimStore {
  const stored = (agent: string, pid: string): StoredClaim | undefined => {
    const row = state.recordAt(agent, pid, 'evaluated');
    return row && claimOf(row);
  };

  /** The pid of the identical call that waits at `now`. */
  const waitingPrimary = (same: string | undefined, now: number): string | undefined => {
    const pointer = same === undefined ? undefined : state.same.get(same);
    const primary = pointer && now < pointer.expiresAt ? state.approvals.get(pointer.pid) : undefined;
    return primary && isPending(primary) ? pointer?.pid : undefined;
  };

  return {
    async readBatch(keys, day) {
      const claims = new Map<string, StoredClaim>();
      for (const { agent, pid } of keys) {
        const claim = stored(agent, pid);
        if (claim) claims.set(pid, claim);
      }
      const names = keys.flatMap((key) => key.sessions ?? []);
      return { claims, ...viewOf(state, names, day) };
    },

    async roomFor({ agent, group, same, now, limits: stated }) {
      const most = mostWaiting(stated, limits);
      if (waitingPrimary(same, now) !== undefined) return 'same_waits';
      const isFull = state.waitingOf('agent', agent) >= most.agent || state.waitingOf('group', group) >= most.group;
      return isFull ? 'full' : 'free';
    },

    async claim({ record: given, verdict, contentDigest }, sessions = NO_WRITES) {
      const record = await withTextStored(given);
      const earlier = stored(record.key.agent, record.key.pid);
      if (earlier) return { kind: 'exists', claim: earlier };
      if (!fits(state, sessions)) return { kind: 'session_changed' };
      writeSessions(state, sessions);
      state.putRecord(record, { verdict, contentDigest });
      return { kind: 'claimed' };
    },

    async open(
      { record: given, verdict, contentDigest },
      { approval, proposal, sealed, journal, group, dueAt, same, limits: stated },
      sessions = NO_WRITES,
    ) {
      const copy = await storeText(proposal);
      const record = await withTextStored(given);
      // From here on without an await: the transaction.
      const earlier = stored(record.key.agent, record.key.pid);
      if (earlier) return { kind: 'exists', claim: earlier };
      if (state.approvals.has(approval.pid)) throw new Error('the approval is there already, and its claim is not');
      const follows = waitingPrimary(same, Date.parse(approval.requestedAt));
      const most = mostWaiting(stated, limits);
      if (state.waitingOf('agent', approval.agent) >= most.agent) return { kind: 'too_many_waiting', limit: 'agent' };
      if (state.waitingOf('group', group) >= most.group) return { kind: 'too_many_waiting', limit: 'group' };
      if (!fits(state, sessions)) return { kind: 'session_changed' };
      writeSessions(state, sessions);
      state.putRecord(record, { verdict, contentDigest });
      state.approvals.set(approval.pid, {
        approval: toCopy(follows === undefined ? approval : { ...approval, follows }),
        version: approval.version,
        counted: { agent: approval.agent, group },
        expiresAt: Date.parse(approval.expiresAt),
        dueAt,
      });
      state.proposals.set(approval.pid, { ...copy, sealed });
      if (follows !== undefined) getOrAdd(state.waiters, follows, () => new Set<string>()).add(approval.pid);
      else if (same !== undefined)
        state.same.set(same, { pid: approval.pid, expiresAt: Date.parse(approval.expiresAt) });
      for (const entry of journal) appendEntry(state, approval.pid, entry);
      state.addWaiting('agent', approval.agent, 1);
      state.addWaiting('group', group, 1);
      return { kind: 'claimed' };
    },
  };

  /** A row in memory costs nothing: what a row of the table would have room for is the measure. */
  async function withTextStored(record: AuditRecord): Promise<AuditRecord> {
    const { proposal, asked, ...rest } = record.entry;
    const texts = [
      await textOf('proposal', proposal, MAX_TEXT_BYTES),
      // Always under its digest: the other way is that of the proposal.
      await textOf('asked', asked, 0),
    ];
    return { ...record, entry: Object.assign(rest, ...texts) };
  }

  async function textOf(name: 'proposal' | 'asked', text: string | undefined, most: number) {
    if (text === undefined) return {};
    if (Buffer.byteLength(text) <= most) return { [name]: text };
    const digest = sha256Hex(text);
    await inputs.put(digest, text, 'record');
    return { [`${name}Digest`]: digest };
  }

  async function storeText(text: string): Promise<{ body: string } | { bodyDigest: string }> {
    if (Buffer.byteLength(text) <= limits.inlineBytes) return { body: text };
    const bodyDigest = sha256Hex(text);
    await inputs.put(bodyDigest, text);
    return { bodyDigest };
  }
}

const isPending = ({ approval }: ApprovalRow): boolean =>
  (anyOf(approval) as { status?: string } | undefined)?.status === 'pending';

function claimOf({ record, verdict, contentDigest }: AuditRow): StoredClaim {
  if (verdict === undefined) throw new Error('a claim without a verdict');
  return { verdict, contentDigest: contentDigest ?? null, ...readCopy(record, answered) };
}

/** The answer within an entry of the record, whatever else the entry holds. */
export const answered = z.object({ decision: asStored(decision).exactOptional() });
