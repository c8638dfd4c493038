/** Tells whether silence may be a yes, for decisions after a wait and for cards during it. */
import type { Approval, Stage } from '../../contract/index.ts';
import { currentStage, deadlineOf, sinceOf } from './stage.ts';

/**
 * Whether the end of the time may let it run, as far as the row tells: the policy allows that, nobody rejected a call, and nothing cuts the wait
 * short. `statedEnd`: the end that the agent asked for.
 */
export const maySilenceApprove = (approval: Approval, statedEnd: string | undefined): boolean =>
  approval.question.onTimeout === 'approve' &&
  !isCutShort(approval, statedEnd) &&
  !isTooLateFor(approval) &&
  !approval.votes.some(rejects);

/** Whether a policy that chooses an action asks so late that the wait ends before people had the time that it gives them. */
function isTooLateFor(row: Approval): boolean {
  const { timeoutMs } = currentStage(row);
  if (row.question.kind !== 'choice' || row.stage || row.escalated || timeoutMs === undefined) return false;
  return Date.parse(row.expiresAt) < sinceOf(row) + timeoutMs;
}

/** Whether the wait ends by the agent's own word, and not later, as the policy file would have it. */
export function isCutShort(approval: Approval, statedEnd: string | undefined): boolean {
  const end = Date.parse(approval.expiresAt);
  return statedEnd !== undefined && Date.parse(statedEnd) <= end && deadlineOf(approval) >= end;
}

/** Whether people of each of these stages, and those whom it escalates to, have so long: silence after less is no yes to a policy's action. */
export const areSeenFor = (ms: number, stages: readonly Stage[]): boolean =>
  stages.every(({ timeoutMs = ms, escalateTo }) => timeoutMs * (escalateTo ? 2 : 1) >= ms);

/** One call of a batch is enough. */
export const rejects = (vote: Approval['votes'][number]): boolean =>
  vote.choice === 'reject' || (vote.choice === 'approve' && !!vote.calls?.some(({ choice }) => choice === 'reject'));
