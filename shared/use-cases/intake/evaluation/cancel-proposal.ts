/** Cancels a proposal for its own agent: the cancelled proposal's decision is the only answer. */
import type { CancelProposal } from '../../../contract/index.ts';
import { cancel } from '../../../domain/approval/approval.ts';
import { pidOf } from '../../../domain/digest.ts';
import { cutMarked } from '../../../domain/redaction/text/marker.ts';
import { replyOrComeAgain } from '../../approvals/reply.ts';
import { endLost } from '../../approvals/resolution/end-lost.ts';
import { completeWait, updateApproval } from '../../approvals/update-approval.ts';
import { decisionOf, recordOf, type Subject } from '../../audit/audit-entry.ts';
import { shownSubject } from '../../audit/shown-subject.ts';
import { refused } from '../../kernel/calls/run.ts';
import { messages } from '../../model-messages.ts';
import type { IntakeDependencies } from '../dependencies.ts';

/** Cancels what waits, leaves a tombstone for what has not come yet, and changes nothing that was decided. */
export async function cancelProposal(
  message: CancelProposal,
  sender: Subject,
  deps: IntakeDependencies,
): Promise<void> {
  const pid = pidOf(deps.deployment, sender.agent, message.cancels);
  const subject = await shownSubject({ ...sender, pid, proposalId: message.cancels }, deps.redactor);
  const { answer } = refused('cancelled', messages.cancelled(), 'cancelled');
  const decision = decisionOf(answer, subject, deps);
  const why = message.reason && cutMarked(await deps.redactor.text(message.reason), 1000);
  const stated = why ? { detail: why } : {};
  const tombstone = recordOf(deps, subject, 'evaluated', { type: 'cancel', ...stated }, decision);
  const claimed = await deps.claims.claim({ record: tombstone, contentDigest: null, verdict: 'cancelled' });
  if (claimed.kind === 'session_changed') throw new Error('a cancel changes no session');
  if (claimed.kind === 'claimed') return replyOrComeAgain(subject.agent, decision, deps);
  if (claimed.claim.verdict !== 'ask') {
    // The tombstone of an earlier delivery, which may have stopped before it answered.
    if (claimed.claim.verdict === 'cancelled' && claimed.claim.decision) {
      await replyOrComeAgain(subject.agent, claimed.claim.decision, deps);
    }
    return;
  }

  const changed = await updateApproval(
    pid,
    ({ approval }) => cancel(approval, deps.clock.now(), why),
    () => recordOf(deps, subject, 'cancel', { type: 'cancel', ...stated }),
    deps,
  );
  // A repeated cancel finds the row cancelled: its workflow may still be asleep if the first run stopped in between.
  if (changed.kind !== 'missing') return void (await completeWait(pid, deps));
  await endLost(subject, answer, deps, stated);
}
