/** Ends an approval whose row cannot be read: nobody can answer it, and its sender must not wait for ever (A7, G27). */
import { type UnreadApproval, UnreadableApprovalError } from '../../domain/unread-approval.ts';
import { decisionOf, recordOf } from '../audit/audit-entry.ts';
import { messages } from '../kernel/messages.ts';
import { refused } from '../kernel/run.ts';
import { askAlone } from './coalesce.ts';
import type { ResolveDependencies } from './dependencies.ts';
import { reply } from './reply.ts';

/** The reconciler wakes its workflow this long after, if nobody did. */
const AFTER_END_MS = 60_000;

/**
 * Writes that the wait expired, from what can be read without the row; safe to run twice. Before its time is over the row is left alone: the
 * version that wrote it may come back. False: it waits on, or not even its agent and its end can be told.
 */
export async function endUnread(unread: UnreadApproval, gate: ResolveDependencies): Promise<boolean> {
  const { pid, agent, proposalId, expiresAt, isDecided, waiters } = unread;
  if (!isDecided) {
    const now = gate.clock.now();
    if (agent === undefined || expiresAt === undefined || now < expiresAt) return false;
    const subject = { pid, agent, proposalId };
    const decision = decisionOf(refused('unreadable_row', messages.unreadableRow(), 'expired').answer, subject, gate);
    const record = recordOf(gate, subject, 'decided', { type: 'decided' }, decision);
    if ((await gate.approvals.finishUnread(unread, record, now + AFTER_END_MS)) === 'exists') return false;
    await reply(agent, decision, gate);
  }
  // A call that cannot be told now asks no later than the reconciler looks at it.
  await Promise.allSettled(waiters.map((waiter) => askAlone(waiter, gate)));
  return true;
}

/** Turns a failed read into an answer for a caller that can do without the row. @throws any other fault. */
export function unlessUnreadable(error: unknown): undefined {
  if (error instanceof UnreadableApprovalError) return undefined;
  throw error;
}
