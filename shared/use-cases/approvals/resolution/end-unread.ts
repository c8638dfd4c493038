/** Ends an approval that cannot be read or decided: its sender must not wait for ever (A7, G27). */
import * as z from 'zod';
import { countedUnder } from '../../../domain/approval/approval.ts';
import { type UnreadApproval, UnreadableApprovalError } from '../../../domain/approval/unread-approval.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { CardQueue } from '../../../ports/stores/outbox.ts';
import { decisionOf, recordOf } from '../../audit/audit-entry.ts';
import { refused } from '../../kernel/calls/run.ts';
import { isFromOutside, withMarkedFaults } from '../../port-faults.ts';
import { askAlone } from '../coalesce.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { reply } from '../reply.ts';
import { endMessages } from './end-messages.ts';

/** The reconciler wakes its workflow this long after, if nobody did. */
const AFTER_END_MS = 60_000;

/** Why it ends: an alarm counts these reasons. */
const ENDS = {
  unreadable_row: () => refused('unreadable_row', endMessages.unreadableRow(), 'expired'),
  input_gone: () => refused('input_gone', endMessages.inputGone()),
  cannot_decide: () => refused('cannot_decide', endMessages.cannotDecide()),
} as const;

/**
 * Writes how the wait ended, from what can be read without the row; safe to run twice. Before its time is over a row is left alone: the
 * version that wrote it may come back. A proposal that is gone never does.
 */
export function endUnread(unread: UnreadApproval, deps: ResolveDependencies): Promise<UnreadEnd> {
  return endAs(unread.isInputGone ? 'input_gone' : 'unreadable_row', unread, deps);
}

/**
 * `waits`: its time is not over, or not even its agent and its end can be told. `unheard`: it has ended, and the agent's own queue has to be tried
 * again.
 */
type UnreadEnd = 'waits' | 'ended' | 'unheard';

async function endAs(reason: keyof typeof ENDS, unread: UnreadApproval, deps: ResolveDependencies): Promise<UnreadEnd> {
  const { pid, agent, proposalId, expiresAt, isDecided, isNotified, waiters } = unread;
  // A run that wrote the decision may have stopped before it told anybody.
  let { decision } = unread;
  if (!isDecided) {
    const now = deps.clock.now();
    if (agent === undefined || expiresAt === undefined) return 'waits';
    if (reason !== 'input_gone' && now < expiresAt) return 'waits';
    const subject = { pid, agent, proposalId };
    decision = decisionOf(ENDS[reason]().answer, subject, deps);
    const record = recordOf(deps, subject, 'decided', { type: 'decided' }, decision);
    if ((await deps.approvals.finishUnread(unread, record, now + AFTER_END_MS)) === 'exists') return 'waits';
  }
  // A row that cannot be read ends without an approval; if it holds one, its agent reads it from the record alone.
  const told = isNotified || decision?.outcome === 'approved' ? undefined : decision;
  const pause = agent !== undefined && told ? await reply(agent, told, deps) : undefined;
  // A call that cannot be told now asks no later than the reconciler looks at it.
  await Promise.allSettled(waiters.map((waiter) => askAlone(waiter, deps)));
  // Where a queue of cards or a workflow is down, the row comes again for that alone.
  if (told && pause === undefined) await deps.approvals.markNotified(pid);
  await redrawUnread(unread, deps.cards);
  return pause === undefined ? 'ended' : 'unheard';
}

/** Redraws the cards of the ended approval. Where they are can be read although the row cannot. */
async function redrawUnread({ pid, agent, cards }: UnreadApproval, queue: CardQueue): Promise<void> {
  const [card] = cards;
  if (card && agent !== undefined) await queue.refresh(pid, card.channel, 'unread', { agent, only: 'update' });
}

/**
 * Runs what decides an approval that can be read. Where that fails by itself, and not because a store or a queue is down, another try fails as
 * well: the approval ends when its time is over. `ended`, `unheard`: it has its decision. @throws whatever another try may mend.
 */
export async function decideOrEnd<Result>(
  decide: (deps: ResolveDependencies) => Promise<Result>,
  view: ApprovalView,
  deps: ResolveDependencies,
): Promise<Result | Exclude<UnreadEnd, 'waits'>> {
  try {
    return await decide(withMarkedFaults(deps));
  } catch (error) {
    // An entry that does not parse comes from a store that answers.
    const isItsOwn = !isFromOutside(error) || error instanceof z.ZodError;
    const end = isItsOwn ? await endAs('cannot_decide', unreadOf(view), deps) : 'waits';
    if (end !== 'waits') return end;
    throw error;
  }
}

function unreadOf({ approval, waiters, cards, decision, isNotified }: ApprovalView): UnreadApproval {
  const { pid, agent, proposalId, version, expiresAt } = approval;
  return {
    ...{ pid, agent, proposalId, version, waiters, cards },
    group: countedUnder(approval),
    expiresAt: Date.parse(expiresAt),
    isDecided: decision !== undefined,
    decision,
    isNotified,
    isInputGone: false,
  };
}

/** Turns a failed read into an answer for a caller that can do without the row. @throws any other fault. */
export function unlessUnreadable(error: unknown): undefined {
  if (error instanceof UnreadableApprovalError) return undefined;
  throw error;
}
