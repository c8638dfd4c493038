/** Tells whether silence may be a yes, for decisions after a wait and for cards during it. */
import type { Approval } from '../../contract/index.ts';
import { deadlineOf } from './stage.ts';

/**
 * Whether the end of the time may let it run, as far as the row tells: the policy allows that, nobody rejected a call, and the agent did not cut the
 * wait short. `statedEnd`: the end that the agent asked for.
 */
export const maySilenceApprove = (approval: Approval, statedEnd: string | undefined): boolean =>
  approval.question.onTimeout === 'approve' && !isCutShort(approval, statedEnd) && !approval.votes.some(rejects);

/** Whether the wait ends by the agent's own word, and not later, as the policy file would have it. */
export function isCutShort(approval: Approval, statedEnd: string | undefined): boolean {
  const end = Date.parse(approval.expiresAt);
  return statedEnd !== undefined && Date.parse(statedEnd) <= end && deadlineOf(approval) >= end;
}

/** One call of a batch is enough. */
export const rejects = (vote: Approval['votes'][number]): boolean =>
  vote.choice === 'reject' || (vote.choice === 'approve' && !!vote.calls?.some(({ choice }) => choice === 'reject'));
