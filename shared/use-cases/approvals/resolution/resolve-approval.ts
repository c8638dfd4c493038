/** Ends an approval: goes from state to state until its decision is written and told. */
import { expire, isTerminal } from '../../../domain/approval/approval.ts';
import { CountersignError } from '../../../domain/errors.ts';
import { CONFLICT, retryOnConflict } from '../../retry-on-conflict.ts';
import { tryAnswerFollower } from '../coalesce.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { refreshCards, refreshChangedCards, refreshRound } from '../refresh-cards.ts';
import { reply } from '../reply.ts';
import { updateApproval } from '../update-approval.ts';
import { commitDecision, openRound, requeueForModel } from './commit-resolution.ts';
import { decideAgain } from './decide-again.ts';
import { decideOrEnd, unlessUnreadable } from './end-unread.ts';
import { endAndRelease, lookAt } from './look-at.ts';
import type {
  Answered,
  Asking,
  Decided,
  LacksModel,
  Over,
  Pending,
  Resolved,
  Stale,
  State,
} from './resolution-states.ts';

/** `waiting`: people or a model are asked. `sealed`: others may read the original. `unheard`: the agent's own queue has to be tried again. */
export type ResolvedApproval = { readonly state: Over['as'] };

/** The row is pending and its time has not come: the workflow goes back to wait on. */
export class StillWaiting extends CountersignError {
  override readonly name = 'StillWaiting';
  constructor() {
    super('still_waiting', 'the approval waits on');
  }
}

/**
 * Safe to run at any time, twice, concurrently: `resume` and `reconcile` both call it. `isAsleep`: its own workflow does not know of it, so that
 * the row stays due until the reconciler has woken it.
 */
export const resolveApproval = (pid: string, deps: ResolveDependencies, isAsleep = false): Promise<ResolvedApproval> =>
  retryOnConflict('the approval or its session kept changing while it was decided', async () => {
    let state: State = await lookAt(pid, deps, isAsleep);
    while (state.kind !== 'over') {
      // Others may have changed the row or a session meanwhile, so the approval is decided again with the new rows.
      if (state.kind === 'stale') return CONFLICT;
      state = await next(state, deps, isAsleep);
    }
    return { state: state.as };
  });

/** One transition. Where deciding fails by itself, the approval ends once its time is over. */
async function next(state: Exclude<State, Over | Stale>, deps: ResolveDependencies, isAsleep: boolean): Promise<State> {
  if (state.kind === 'pending') return endRound(state, deps);
  if (state.kind === 'decided') return notify(state, deps, isAsleep);
  const decided = await decideOrEnd((marked) => decideNext(state, marked), state.view, deps);
  if (decided === 'unheard') return { kind: 'over', as: 'unheard' };
  if (decided !== 'ended') return decided;
  if (!isAsleep) await endAndRelease(state.view.approval.pid, deps);
  return { kind: 'over', as: 'done' };
}

/** The transitions between people's answer and the decision. */
function decideNext(state: Answered | LacksModel | Asking | Resolved, deps: ResolveDependencies): Promise<State> {
  switch (state.kind) {
    case 'answered':
      return decideAgain(state, deps);
    case 'lacks_model':
      return requeueForModel(state, deps);
    case 'asking':
      return openRound(state, deps);
    case 'resolved':
      return commitDecision(state, deps);
    default:
      return state satisfies never;
  }
}

/** Ends the round of a row whose time is over. */
async function endRound({ view }: Pending, deps: ResolveDependencies): Promise<Stale | Over> {
  const shared = await endPrimary(view.approval, deps);
  if (shared) return shared;
  const expired = await updateApproval(
    view.approval.pid,
    ({ approval }) => expire(approval, deps.clock.now()),
    () => undefined,
    deps,
    view,
  );
  if (expired.kind !== 'refused' || expired.refusal !== 'not_yet_expired') return { kind: 'stale' };
  // A run beside the workflow that opened this round may have stopped before it asked for the cards; the workflow would ask at its next step.
  if (deps.endWait) await refreshRound(expired.view.approval, deps.cards);
  return { kind: 'over', as: 'waiting' };
}

/** Silence about a card that asked for both ends both alike, whichever is looked at first. Undefined: this row ends alone. */
async function endPrimary(
  { pid, follows, question, expiresAt }: Pending['view']['approval'],
  deps: ResolveDependencies,
): Promise<Stale | Over | undefined> {
  if (follows === undefined || question.onTimeout !== 'approve' || deps.clock.now() < Date.parse(expiresAt))
    return undefined;
  const primary = await resolveApproval(follows, deps).catch(unlessUnreadable);
  if (primary?.state === 'sealed') return { kind: 'over', as: 'sealed' };
  const own = await deps.approvals.read(pid);
  return own && isTerminal(own.approval.status) ? { kind: 'stale' } : undefined;
}

/**
 * Tells everybody after the decision is written: followers get their answer, the cards are drawn again, and the agent's own queue, if it has one,
 * gets the decision. A failure of one does not keep the others waiting, and the row stays due until all are done; a queue that stays away is given
 * up. Once all were told, only the cards are drawn.
 */
async function notify({ view, decision }: Decided, deps: ResolveDependencies, isAsleep: boolean): Promise<Over> {
  const { approval, waiters, isNotified } = view;
  const faults: unknown[] = [];
  const attempt = (work: () => Promise<unknown>) => work().catch((fault: unknown) => void faults.push(fault));
  const unanswered = new Set(isNotified ? [] : waiters);
  for (const pid of unanswered) {
    await attempt(async () => {
      const answer = await tryAnswerFollower(pid, { approval, decision }, deps);
      // From here on the follower's own row is due: a fault of its end or its card must not tell the others again.
      unanswered.delete(pid);
      if (answer.kind === 'answered') await resolveApproval(pid, deps, true);
      if (answer.kind === 'alone' && answer.detached) await refreshChangedCards(answer.detached, deps.cards);
    });
  }
  await attempt(() => refreshCards(approval, `decided-${approval.version}`, deps.cards));
  const pause = isNotified ? undefined : await reply(approval.agent, decision, deps);
  // Only cards, or the workflow's end, are left to do: the next look must not send the decision to the agent's queue again.
  const markTold = async () => {
    if (!unanswered.size && !isNotified && pause === undefined)
      await attempt(() => deps.approvals.markNotified(approval.pid));
  };
  if (faults.length || isAsleep) await markTold();
  if (faults.length) throw faults[0];
  // The reconciler tries the agent's queue again, so that the workflow may end without an error.
  if (isAsleep) return { kind: 'over', as: 'done' };
  if (pause === undefined)
    await endAndRelease(approval.pid, deps).catch(async (fault: unknown) => {
      await markTold();
      throw fault;
    });
  else await deps.approvals.postpone(approval.pid, deps.clock.now() + pause, approval.version, true);
  return { kind: 'over', as: 'done' };
}
