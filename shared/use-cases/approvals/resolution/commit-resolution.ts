/** Writes the result of a run with people's answer: a round, a decision, or a model's turn. */
import { type Approval, EVERY_SESSION } from '../../../contract/index.ts';
import { nextRound, type Refusal } from '../../../domain/approval/approval.ts';
import type { SessionWrites } from '../../../ports/stores/session-store.ts';
import { answersRecord, callRecord, decisionOf, recordOf, type Subject } from '../../audit/audit-entry.ts';
import { storeQuestion } from '../../audit/proposal-text.ts';
import { type KernelAnswer, refused } from '../../kernel/calls/run.ts';
import { modeOf } from '../../kernel/state/session.ts';
import { messages } from '../../model-messages.ts';
import { changesAfterPeople } from '../../sessions/session-updates.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { refreshChangedCards, refreshRound } from '../refresh-cards.ts';
import { dueAfter } from '../update-approval.ts';
import { endMessages } from './end-messages.ts';
import type { Asking, Decided, LacksModel, Over, Resolved, Stale } from './resolution-states.ts';

const STALE: Stale = { kind: 'stale' };
const WAITING: Over = { kind: 'over', as: 'waiting' };

/** Asks people the question that the run came to; one that may not be asked any more resolves the approval. */
export async function openRound(asking: Asking, deps: ResolveDependencies): Promise<Over | Stale | Resolved> {
  const { view, question, human, now } = asking;
  const opened = nextRound(view.approval, question, now);
  if (!opened.ok)
    return { ...asking, kind: 'resolved', choice: undefined, answer: unaskable(view.approval, opened.refusal) };
  const { next } = opened;
  const record = recordOf(deps, subjectOf(asking), `evaluated#${next.round}`, {
    type: 'evaluated',
    ...(await storeQuestion(next.question, deps)),
    ...runRecord(asking, deps),
    reasonCode: `round_${next.round}`,
  });
  if (!(await deps.approvals.write(next, record, dueAfter(next, now, view.dueAt), human))) return STALE;
  await refreshRound(next, deps.cards);
  return WAITING;
}

/** Why a question that the run came to is asked of nobody. */
function unaskable(approval: Approval, refusal: Refusal): KernelAnswer {
  if (approval.withdrawn) return refused('cancelled', messages.cancelled(), 'cancelled').answer;
  if (refusal === 'expired') return refused('expired', messages.expired(), 'expired').answer;
  return refused('superseded', endMessages.otherQuestion(), 'superseded').answer;
}

/** Writes the decision once, with what sessions remember of people's answer. */
export async function commitDecision(resolved: Resolved, deps: ResolveDependencies): Promise<Decided | Stale> {
  const { view, proposal, answer, human, now } = resolved;
  const { state } = proposal;
  const subject = subjectOf(resolved);
  const decision = decisionOf(answer, subject, deps, state === undefined ? {} : { state });
  const waitedMs = Math.max(0, Math.round(now - Date.parse(view.approval.requestedAt)));
  const fields = { type: 'decided' as const, waitedMs, ...runRecord(resolved, deps) };
  const record = recordOf(deps, subject, 'decided', fields, decision);
  const writes = await remembered(resolved, deps);
  const dueAt = dueAfter(view.approval, now, view.dueAt);
  const written = await deps.approvals.finish(view.approval, record, dueAt, writes, human);
  return written === 'written' ? { kind: 'decided', view, decision } : STALE;
}

function subjectOf({ view, journal }: Asking | Resolved): Subject {
  const { agent, pid, proposalId, sessionId } = view.approval;
  return { agent, pid, proposalId, sessionId, mode: journal.session && modeOf(journal.session, 'default') };
}

const runRecord = ({ calls, answers, choice }: Asking | Resolved, deps: ResolveDependencies) => ({
  calls: calls.map((call) => callRecord(deps, call)),
  ...answersRecord(answers, choice),
});

/** Computes the changes that people's answer makes to sessions; the transaction of the decision writes them. */
async function remembered(resolved: Resolved, deps: ResolveDependencies): Promise<SessionWrites | undefined> {
  const { view, proposal, journal, human, answer, calls, sessionCache, isKnown } = resolved;
  const { agent, sessionId, requester, owner, followedRound, round } = view.approval;
  if (!isKnown || proposal.kind === 'cancel' || proposal.kind === 'task-message') return undefined;
  if (!deps.policy.settings.agents[agent]) return undefined;
  const own = await sessionCache.row(agent, sessionId);
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const child = starts && (await sessionCache.row(starts.agentId, starts.sessionId));
  const always = await sessionCache.row(agent, EVERY_SESSION);
  const outcome = {
    calls,
    approved: answer.outcome === 'approved',
    allowed: new Set(answer.calls.flatMap((call) => (call.outcome === 'approved' ? [call.id] : []))),
    classified: false,
    starts,
    requester: requester ?? owner,
  };
  const folders = journal.session?.folders;
  const rows = { own, always, child, day: sessionCache.day, now: deps.clock.now(), folders };
  const given = { lifetimeMs: deps.policy.settings.approvals.remember, shared: followedRound === round };
  // A journal of the previous release does not name the folders of its calls, so people's answer there holds for no later call.
  const answered = folders === undefined ? { ...human, remember: undefined } : human;
  return changesAfterPeople(outcome, answered, rows, given, deps);
}

/** The row says first that a model is asked: its workflow waits on, instead of asking again and again. */
export async function requeueForModel({ view }: LacksModel, deps: ResolveDependencies): Promise<Over | Stale> {
  const { approval, dueAt } = view;
  if (!approval.deliberating) {
    const next: Approval = { ...approval, deliberating: true, version: approval.version + 1 };
    if (!(await deps.approvals.write(next, undefined, dueAfter(next, deps.clock.now(), dueAt)))) return STALE;
    // Until the model answered the card would ask what people have answered.
    await refreshChangedCards(next, deps.cards);
  }
  await deps.deferred.handOver(approval.pid);
  return WAITING;
}
