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
 * Digest of the facts that make waiting calls identical: agent, session, in whose name, the agent's folders, the exact actions in their order,
 * the people who are asked, and the answers that they may give.
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

/** `alone`: it asks by itself, and `detached` has cards to draw; its row is due by itself, whether they are drawn or not. */
export type DuplicateAnswer =
  | { readonly kind: 'answered' | 'missing' }
  | { readonly kind: 'alone'; readonly detached?: Approval };

/**
 * Gives the answer of `lead`, which has ended, to one that follows it: `answered`, and it may be decided. A lead that ended without people, or
 * by votes that nobody cast, answers nothing: that one asks by itself, unless its own time is over as well.
 */
export async function answerDuplicate(
  pid: string,
  { approval: primary, decision }: { readonly approval: Approval; readonly decision: Pick<Decision, 'reasonCode'> },
  deps: Pick<ResolveDependencies, 'approvals' | 'journal' | 'clock'>,
): Promise<DuplicateAnswer> {
  const byPeople = isAnsweredByPeople(primary, decision);
  const known = await deps.approvals.read(pid);
  // A call that has time left asks by itself.
  const isOver = known !== undefined && deps.clock.now() >= Date.parse(known.approval.expiresAt);
  const answers = byPeople || (isOver && sharesSilence(known.approval, primary));
  // Silence as well may have been about a call that somebody edited.
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

/** The reconciler looks so soon at a duplicate whose row could not be read. */
const UNREAD_WAITER_MS = 60_000;

/**
 * Answers a duplicate whose lead is decided, as `answerDuplicate` does. A row that cannot be read does not hold up its lead: it takes the answer
 * once it can be read, or ends by itself.
 */
export async function answerWaiter(
  pid: string,
  lead: Parameters<typeof answerDuplicate>[1],
  deps: Parameters<typeof answerDuplicate>[2],
): Promise<DuplicateAnswer | { readonly kind: 'unread' }> {
  try {
    return await answerDuplicate(pid, lead, deps);
  } catch (error) {
    if (!(error instanceof UnreadableApprovalError)) throw error;
    await deps.approvals.bringForward(pid, deps.clock.now() + UNREAD_WAITER_MS, false);
    return { kind: 'unread' };
  }
}

/** One that followed a row which cannot be read asks by itself: nobody can tell what people answered there. */
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
