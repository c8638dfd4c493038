/**
 * Shares one approval among identical waiting calls of a session; each gets its own decision.
 * Safe to run twice.
 */
import type { AgentFolders, Approval, CallsQuestion, Decision, Question } from '../../contract/index.ts';
import { coalesce, detach, isTooLate, sharesSilence } from '../../domain/approval/approval.ts';
import { isAnsweredByPeople } from '../../domain/approval/disagreement.ts';
import { UnreadableApprovalError } from '../../domain/approval/unread-approval.ts';
import { auditDigest, lengthDelimited } from '../../domain/digest.ts';
import type { BaseDependencies } from '../dependencies.ts';
import type { ResolveDependencies } from './dependencies.ts';
import { refreshChangedCards } from './refresh-cards.ts';
import { updateApproval } from './update-approval.ts';

/**
 * Digest of the facts that make waiting calls identical: agent, session, requester and the agent's folders, the exact actions in their order, the
 * people who are asked, and the answers that they may give. Undefined for a question that is not about calls.
 */
export function sameCallsKey(
  { agent, sessionId, requester, owner }: Pick<Approval, 'agent' | 'sessionId' | 'requester' | 'owner'>,
  question: Question,
  { projectRoot, home }: AgentFolders,
  deps: Pick<BaseDependencies, 'deployment' | 'digestKey'>,
): string | undefined {
  if (question.kind !== 'calls') return undefined;
  const { team, user } = requester ?? owner;
  const who = [deps.deployment, agent, sessionId, team, user, projectRoot, home];
  const fields = [...who, question.stagesDigest, question.offers.join(), ...idsOf(question)];
  return auditDigest(lengthDelimited(fields), deps.digestKey);
}

const idsOf = ({ calls }: CallsQuestion): string[] => calls.flatMap(({ id, actionDigest }) => [id, actionDigest]);

/** `alone`: the follower asks by itself. `detached` is its row, whose cards are to be drawn; the reconciler draws them otherwise. */
type FollowerAnswer =
  | { readonly kind: 'answered' | 'missing' }
  | { readonly kind: 'alone'; readonly detached?: Approval };

/**
 * Gives a follower the answer of its primary, which has ended: then the follower is `answered` and may be decided. A primary that ended without
 * people, or by votes that nobody cast, gives no answer: the follower asks by itself, unless its own time is over as well.
 */
export async function answerFollower(
  pid: string,
  { approval: primary, decision }: { readonly approval: Approval; readonly decision: Pick<Decision, 'reasonCode'> },
  deps: Pick<ResolveDependencies, 'approvals' | 'journal' | 'clock'>,
): Promise<FollowerAnswer> {
  const byPeople = isAnsweredByPeople(primary, decision);
  const known = await deps.approvals.read(pid);
  // A call that has time left asks by itself.
  const isOver = known !== undefined && deps.clock.now() >= Date.parse(known.approval.expiresAt);
  const answers = byPeople || (isOver && sharesSilence(known.approval, primary));
  // People may have edited the call in an earlier round, and may have answered the last one by silence: the follower needs those answers too.
  if (answers && known && (sharesSilence(known.approval, primary) || !isTooLate(known.approval, primary))) {
    const entries = await deps.journal.read(primary.pid);
    const earlier = entries.filter((entry) => entry.type === 'human' && entry.round < primary.round);
    for (const entry of earlier) await deps.journal.append(pid, entry);
  }
  const changed = await updateApproval(
    pid,
    ({ approval }) => (answers ? coalesce(approval, primary) : detach(approval, deps.clock.now())),
    () => undefined,
    deps,
  );
  if (changed.kind === 'missing' || answers) return { kind: changed.kind === 'missing' ? 'missing' : 'answered' };
  return changed.kind === 'changed' ? { kind: 'alone', detached: changed.approval } : { kind: 'alone' };
}

/** The time after which the reconciler looks at a follower whose row could not be read. */
const UNREAD_FOLLOWER_MS = 60_000;

/**
 * Answers a follower as `answerFollower` does, but does not fail for a row that cannot be read, so that it does not hold up its primary. Such a
 * follower takes the answer once its row can be read, or ends by itself.
 */
export async function tryAnswerFollower(
  pid: string,
  primary: Parameters<typeof answerFollower>[1],
  deps: Parameters<typeof answerFollower>[2],
): Promise<FollowerAnswer | { readonly kind: 'unread' }> {
  try {
    return await answerFollower(pid, primary, deps);
  } catch (error) {
    if (!(error instanceof UnreadableApprovalError)) throw error;
    await deps.approvals.bringForward(pid, deps.clock.now() + UNREAD_FOLLOWER_MS, false);
    return { kind: 'unread' };
  }
}

/** Detaches a follower whose primary cannot be read: nobody can tell the answer that people gave there. */
export async function askAlone(
  pid: string,
  deps: Pick<ResolveDependencies, 'approvals' | 'cards' | 'clock'>,
): Promise<void> {
  const changed = await updateApproval(
    pid,
    ({ approval }) => detach(approval, deps.clock.now()),
    () => undefined,
    deps,
  );
  if (changed.kind === 'changed') await refreshChangedCards(changed.approval, deps.cards);
}
