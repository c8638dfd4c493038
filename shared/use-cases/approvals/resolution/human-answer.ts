/** Computes people's answer of a round of an approval, as the journal holds it. */
import type { Approval, HumanAnswer, Vote, Voter } from '../../../contract/index.ts';
import { callsOf, choiceOn, tallyOf } from '../../../domain/approval/approval.ts';
import { wasSeen } from '../../../domain/approval/shown.ts';
import { isCutShort, maySilenceApprove, rejects } from '../../../domain/approval/silence.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import { rememberOf } from '../../sessions/session-updates.ts';

/** Whether silence may count as a yes. People must have seen the question. `statedEnd`: the end that the agent asked for. */
export function silenceCounts({ approval, cards, cardProblem }: ApprovalView, statedEnd: string | undefined): boolean {
  return cardProblem === undefined && wasSeen(approval, cards) && maySilenceApprove(approval, statedEnd);
}

/** Whether silence counts for a follower: it counted for the primary, whose card asked for both, and the follower's wait was not cut short. */
export const sharedSilenceCounts = (
  { approval }: Pick<ApprovalView, 'approval'>,
  primary: Pick<ApprovalView, 'decision'> | undefined,
  statedEnd: string | undefined,
): boolean =>
  primary?.decision?.calls.some(({ reasonCode }) => reasonCode === 'timeout_approved') === true &&
  !isCutShort(approval, statedEnd);

/** The answer of a round that has ended; `isSilent`: the result of `silenceCounts` for it. @throws Error if the round has not ended. */
export function answerOf(approval: Approval, isSilent: boolean): HumanAnswer {
  const { question, votes, status, round, endedAt, expiresAt } = approval;
  if (status === 'pending') throw new Error('a pending approval has no answer');
  const decisive = votes.filter((vote) => isDecisive(vote, status) || rejectsCall(approval, vote));
  const reason = decisive.find((vote) => vote.reason)?.reason;
  const remember = rememberOf(approval);
  const decisions = decisionsOf(approval, decisive);
  return {
    type: 'human',
    place: question.place,
    round,
    at: endedAt ?? expiresAt,
    digest: question.digest,
    stagesDigest: question.stagesDigest,
    calls: callsOf(question).map(({ id }) => id),
    result: status,
    by: decisive.map((vote) => ({ person: voterOf(vote, approval), name: vote.by.user })),
    ...(reason ? { reason } : {}),
    ...(status === 'approved' && remember ? { remember } : {}),
    ...(decisions ? { decisions } : {}),
    ...(status === 'expired' && question.onTimeout === 'approve' && isSilent ? { timeoutApproves: true } : {}),
    ...changeOf(decisive),
  };
}

/** The voter with the groups and the seat of the vote, because a later use of the vote compares both again. */
function voterOf({ by, standsFor, passed, stage }: Vote, { question }: Approval): Voter {
  const voted = question.stages[stage];
  const groups =
    !voted || voted.by === 'requester' ? [] : [voted.group, ...(voted.escalateTo ? [voted.escalateTo.group] : [])];
  return {
    ...by,
    ...(groups.length ? { groups } : {}),
    ...(standsFor ? { standsFor } : {}),
    ...(passed ? { passed } : {}),
  };
}

function isDecisive(vote: Vote, status: Approval['status']): boolean {
  switch (status) {
    case 'approved':
      return vote.choice === 'approve';
    case 'rejected':
      return rejects(vote);
    case 'edited':
      return vote.choice === 'edit';
    case 'substituted':
      return vote.choice === 'substitute';
    case 'answered':
      return vote.choice === 'respond';
    case 'pending':
    case 'expired':
    case 'cancelled':
      return false;
    default:
      return status satisfies never;
  }
}

/** Whether the vote rejects a call that is rejected although the round ended otherwise. */
const rejectsCall = (approval: Approval, vote: Vote): boolean =>
  (approval.status === 'approved' || approval.status === 'expired') &&
  callsOf(approval.question).some(({ id }) => choiceOn(vote, id) === 'reject' && tallyOf(approval, id) === 'rejected');

/** The decision on each call with those of `decisive` whose it is; undefined if everybody answered about all calls alike. */
function decisionsOf(approval: Approval, decisive: readonly Vote[]): HumanAnswer['decisions'] {
  const { status, votes, question } = approval;
  if (!votes.some((vote) => vote.choice === 'approve' && vote.calls)) return undefined;
  if (status !== 'approved' && status !== 'rejected' && status !== 'expired') return undefined;
  return callsOf(question).flatMap(({ id }) => {
    const tally = tallyOf(approval, id);
    // After a wait that ran out, a yes counts no more, and a no still does.
    if (status === 'expired' && tally !== 'rejected') return [];
    const choice = tally === 'approved' ? 'approve' : 'reject';
    const by = decisive.flatMap((vote, index) => (choiceOn(vote, id) === choice ? [index] : []));
    const reason = choice === 'reject' ? votes.map((vote) => reasonOf(vote, id)).find(Boolean) : undefined;
    return [{ id, choice, ...(reason ? { reason } : {}), by }];
  });
}

function reasonOf(vote: Vote, id: string): string | undefined {
  if (vote.choice === 'reject') return vote.reason;
  const own = vote.choice === 'approve' ? vote.calls?.find((call) => call.id === id) : undefined;
  return own?.choice === 'reject' ? own.reason : undefined;
}

function changeOf([vote]: readonly Vote[]): Partial<HumanAnswer> {
  switch (vote?.choice) {
    case 'edit': {
      const { callId, input, actionDigest } = vote;
      return { edit: { callId, input, actionDigest } };
    }
    case 'substitute':
      return { substitute: { index: vote.index, actionDigest: vote.actionDigest } };
    case 'respond':
      return { answer: vote.answer };
    case 'approve':
    case 'reject':
    case undefined:
      return {};
    default:
      return vote satisfies never;
  }
}
