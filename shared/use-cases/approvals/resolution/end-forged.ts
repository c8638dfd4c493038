/** Ends an approval whose row disagrees with the votes on the record (G40, G47). */
import type { Approval, Decision } from '../../../contract/index.ts';
import { RECORD_DISAGREES } from '../../../domain/approval/disagreement.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import { decisionOf, recordOf } from '../../audit/audit-entry.ts';
import { refused } from '../../kernel/calls/run.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { dueAfter } from '../update-approval.ts';
import { endMessages } from './end-messages.ts';
import { isOfRecordedVotes } from './recorded-votes.ts';

/**
 * Writes that an approval ended in error, if its row holds votes that nobody cast. Nothing is remembered of them, and no journal keeps them.
 * `genuine`: the row may be decided. `changed`: somebody was faster, and the row is to be read again.
 */
export async function endIfForged(
  view: ApprovalView,
  deps: ResolveDependencies,
): Promise<Decision | 'genuine' | 'changed'> {
  const { approval } = view;
  if (await isOfRecordedVotes(approval, deps)) return 'genuine';
  const subject = subjectOf(approval);
  const decision = decisionOf(refused(RECORD_DISAGREES, endMessages.recordDisagrees()).answer, subject, deps);
  const record = recordOf(deps, subject, 'decided', { type: 'decided' }, decision);
  const written = await deps.approvals.finish(approval, record, dueAfter(approval, deps.clock.now(), view.dueAt));
  return written === 'written' ? decision : 'changed';
}

const subjectOf = ({ agent, pid, proposalId, sessionId }: Approval) => ({ agent, pid, proposalId, sessionId });
