/** Ends an approval: decides again with what people answered, writes the decided row once, tells the world. */
import {
  type AnswerEntry,
  type Approval,
  type Decision,
  EVERY_SESSION,
  type HumanAnswer,
  type Proposal,
} from '../../contract/index.ts';
import { expire, isTerminal, nextRound, type Refusal } from '../../domain/approval.ts';
import { CountersignError } from '../../domain/errors.ts';
import { canQuestionBeJudged } from '../../domain/redaction/judgeable.ts';
import { dayOf } from '../../domain/session.ts';
import { UnreadableApprovalError } from '../../domain/unread-approval.ts';
import type { ApprovalView } from '../../ports/approval-store.ts';
import type { Control } from '../../ports/control.ts';
import type { SessionName, SessionWrites } from '../../ports/session-store.ts';
import { answersRecord, callRecord, decisionOf, recordOf, type Subject } from '../audit/audit-entry.ts';
import { decidePrinted } from '../kernel/decide-printed.ts';
import { editedCalls, effectiveProposal } from '../kernel/edits.ts';
import { lineageOf } from '../kernel/lineage.ts';
import { messages } from '../kernel/messages.ts';
import { type Ended, refused } from '../kernel/run.ts';
import { Journal, modeOf, type Session } from '../kernel/session.ts';
import { openSealed } from '../redaction/open-sealed.ts';
import { type RedactionResult, redactProposal, redactRun, unseenIn } from '../redaction/redact-proposal.ts';
import { askAgain } from '../resolvers/ask-about-edits.ts';
import { ASK_TIMEOUT_MS } from '../resolvers/call-model.ts';
import { withRulesOf } from '../sessions/bounded-chain.ts';
import { chainReader, SessionCache } from '../sessions/session-cache.ts';
import { chainOf } from '../sessions/session-chain.ts';
import { changesAfterPeople } from '../sessions/session-updates.ts';
import { proposalOf } from './cast-vote.ts';
import { answerDuplicate } from './coalesce.ts';
import type { ResolveDependencies } from './dependencies.ts';
import { endUnread, unlessUnreadable } from './end-unread.ts';
import { answerOf, sharedSilenceCounts, silenceCounts } from './human-answer.ts';
import { refreshCards, refreshChangedCards } from './refresh-cards.ts';
import { reply } from './reply.ts';
import { dueAfter, updateApproval } from './update-approval.ts';

/**
 * `waiting`: the row is pending and its time has not come, whatever the caller thought. `sealed`: only who may read the original can go
 * on.
 */
export type ResolvedApproval = { readonly state: 'done' | 'waiting' | 'missing' | 'sealed' };

/** The row is pending and its time has not come: the workflow goes back to wait on. */
export class StillWaiting extends CountersignError {
  override readonly name = 'StillWaiting';
  constructor() {
    super('still_waiting', 'the approval waits on');
  }
}

/** Others may change the row or the session meanwhile: decided again with what they left, a few times. */
const TRIES = 5;

/**
 * Safe to run at any time, twice, concurrently: `resume` and `reconcile` both call it. `asleep`: its own workflow does not know of it, so that
 * the row stays due until the reconciler has woken it.
 */
export async function resolveApproval(
  pid: string,
  gate: ResolveDependencies,
  asleep = false,
): Promise<ResolvedApproval> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const view = await readOrEnd(pid, gate);
    if (!view) return { state: 'missing' };
    if (view === 'ended') {
      if (!asleep) await gate.approvals.release(pid);
      return { state: 'done' };
    }
    if (!isTerminal(view.approval.status)) {
      const led = await finishLead(view, gate);
      if (led === 'sealed') return { state: 'sealed' };
      if (led === 'answered') continue;
      const ended = await updateApproval(
        pid,
        ({ approval }) => expire(approval, gate.clock.now()),
        () => undefined,
        gate,
        view,
      );
      if (ended.kind === 'refused' && ended.refusal === 'not_yet_expired') return { state: 'waiting' };
      continue;
    }
    const decision = view.decision ?? (await decideAndWrite(view, gate));
    if (decision === 'sealed') return { state: 'sealed' };
    if (decision === 'changed') continue;
    if (decision === 'asked again' || decision === 'handed over') return { state: 'waiting' };
    await tell(view, decision, gate, asleep);
    return { state: 'done' };
  }
  throw new Error('the approval or its session kept changing while it was decided');
}

/** `ended`: the row cannot be read, and has its decision. */
async function readOrEnd(pid: string, gate: ResolveDependencies): Promise<ApprovalView | 'ended' | undefined> {
  try {
    return await gate.approvals.read(pid);
  } catch (error) {
    if (error instanceof UnreadableApprovalError && (await endUnread(error.unread, gate))) return 'ended';
    throw error;
  }
}

/** Silence about a card that asked for both ends both alike, whichever of the two is looked at first. */
async function finishLead(
  { approval }: ApprovalView,
  gate: ResolveDependencies,
): Promise<'answered' | 'sealed' | 'alone'> {
  const { pid, follows, question, expiresAt } = approval;
  if (follows === undefined || question.onTimeout !== 'approve' || gate.clock.now() < Date.parse(expiresAt))
    return 'alone';
  const led = await resolveApproval(follows, gate).catch(unlessUnreadable);
  if (led?.state === 'sealed') return 'sealed';
  const own = await gate.approvals.read(pid);
  return own && isTerminal(own.approval.status) ? 'answered' : 'alone';
}

/**
 * `asked again`: the run came to another question, and the row waits for people once more. `handed over`: it needs a model or
 * a hook, which is asked in `deliberate`. `sealed`: the original is not for this caller.
 */
async function decideAndWrite(
  view: ApprovalView,
  gate: ResolveDependencies,
): Promise<Decision | 'changed' | 'asked again' | 'handed over' | 'sealed'> {
  const { approval } = view;
  const original = await openSealed(view, gate.unsealer);
  if (original.kind === 'sealed') return 'sealed';
  const { proposal } = original;
  const human = answerOf(approval, await isSilenceYes(view, proposal, gate));
  const sessions = sessionsOf(approval, proposal);
  const day = dayOf(gate.clock.now());
  const [entries, standing] = await Promise.all([
    gate.journal.read(approval.pid),
    gate.sessions.readTogether(sessions, day),
  ]);
  const journal = new Journal([...entries, human]);
  // Found again, not kept: what is told of the call must not repeat it either.
  const kept = view.sealed !== undefined ? await redactProposal(proposal, gate.redactor, gate.policy.tools) : undefined;
  const now = gate.clock.now();
  const sessionCache = new SessionCache(gate.sessions, day, standing, sessions);
  const { control } = standing;
  const done =
    original.kind === 'gone'
      ? { run: refused('seal_expired', messages.secretGone()), answers: [] }
      : await rerun(approval, proposal, journal, { sessionCache, control, now, kept }, gate);
  if (!done && view.sealed === undefined) return (await requeueForModel(view, gate)) ? 'handed over' : 'changed';
  // Where a model may be asked, the original may not be read.
  const { run: redecided, answers } = done ?? { run: refused('sealed_facts', messages.secretAndModel()), answers: [] };
  const run = kept && 'found' in kept ? await redactRun(redecided, kept, gate.redactor) : redecided;
  const mode = journal.session && modeOf(journal.session, 'default');
  const subject = { ...subjectOf(approval), mode };
  const records = run.calls.map((call) => callRecord(gate, call));
  let ended = run;
  if (run.kind === 'suspended') {
    const next = nextRound(approval, run.question, now);
    if (next.ok) {
      const fields = {
        type: 'evaluated',
        calls: records,
        ...answersRecord(answers, run.choice),
        reasonCode: `round_${next.next.round}`,
      } as const;
      const record = recordOf(gate, subject, `evaluated#${next.next.round}`, fields);
      const written = await gate.approvals.write(next.next, record, dueAfter(next.next, now, view.dueAt), human);
      if (!written) return 'changed';
      await refreshCards(next.next, `round-${next.next.round}`, gate.cards);
      return 'asked again';
    }
    ended = { ...unaskable(approval, next.refusal), calls: run.calls };
  }
  if (ended.kind !== 'decided') throw new Error('a run that was not asked again is decided');
  const decision = decisionOf(ended.answer, subject, gate, stateOf(proposal));
  const record = recordOf(
    gate,
    subject,
    'decided',
    { type: 'decided', calls: records, ...answersRecord(answers, ended.choice) },
    decision,
  );
  const writes =
    original.kind === 'gone'
      ? undefined
      : await remembered(approval, proposal, journal, human, ended, sessionCache, gate);
  const written = await gate.approvals.finish(approval, record, dueAfter(approval, now, view.dueAt), writes, human);
  return written === 'written' ? decision : 'changed';
}

/** Whether silence may be a yes: of a question that stood on another's card, as it was there. */
async function isSilenceYes(view: ApprovalView, { expiresAt }: Proposal, gate: ResolveDependencies): Promise<boolean> {
  // Nobody could have said yes to what a mark hides: silence does not either.
  if (!canQuestionBeJudged(view.approval.question, proposalOf(view))) return false;
  const { askedAs, followedRound, round } = view.approval;
  if (askedAs === undefined || followedRound !== round) return silenceCounts(view, expiresAt);
  return sharedSilenceCounts(view, await gate.approvals.read(askedAs).catch(unlessUnreadable), expiresAt);
}

/** Those that the run reads for certain: its own, the rules of every one, and the one that it starts. Parents are read if it comes to them. */
function sessionsOf({ agent, sessionId }: Approval, proposal: Proposal): SessionName[] {
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const started = starts ? [{ agent: starts.agentId, sessionId: starts.sessionId }] : [];
  return [{ agent, sessionId }, { agent, sessionId: EVERY_SESSION }, ...started];
}

type Redecided = Extract<Ended, { kind: 'decided' }>;

/** Why a question that the run came to is asked of nobody. */
function unaskable(approval: Approval, refusal: Refusal): Extract<Ended, { kind: 'decided' }> {
  if (approval.withdrawn) return refused('cancelled', messages.cancelled(), 'cancelled');
  if (refusal === 'expired') return refused('expired', messages.expired(), 'expired');
  return refused('superseded', messages.otherQuestion(), 'superseded');
}

/** How the run ended, and what models answered on the way. */
interface Rerun {
  readonly run: Ended;
  readonly answers: readonly AnswerEntry[];
}

interface Rerunning {
  readonly sessionCache: SessionCache;
  readonly control: Control;
  readonly now: number;
  /** Of a proposal that holds secrets. */
  readonly kept: RedactionResult | undefined;
}

async function rerun(
  approval: Approval,
  proposed: Proposal,
  journal: Journal,
  { sessionCache: desk, control, now, kept }: Rerunning,
  gate: ResolveDependencies,
): Promise<Rerun | undefined> {
  const settings = gate.policy.settings.agents[approval.agent];
  if (!settings || proposed.kind === 'cancel' || proposed.kind === 'task-message')
    return { run: refused('superseded', messages.unlistedAgent(), 'superseded'), answers: [] };
  const { agent, sessionId, pid, askedAs } = approval;
  // What is remembered is looked up for what would run, as people edited it.
  const effective = effectiveProposal(proposed, journal, askedAs ?? pid);
  const requester = approval.requester ?? approval.owner;
  const reader = chainReader(desk, gate, control);
  const lineage = await lineageOf({ agent, sessionId }, reader);
  const unseen = unseenIn(kept && 'found' in kept ? kept.proposal : effective);
  const chain = await chainOf({ agent, sessionId, requester, lineage, unseen }, effective, now, reader);
  const mode = modeOf(chain, settings.mode);
  const session: Session = { pid, askedAs, agent, settings, sessionId, requester, mode, control, lineage, chain };
  const about = { pid, agent, session: await desk.row(agent, sessionId), until: now + ASK_TIMEOUT_MS };
  const ask = askAgain(about, effective, editedCalls(proposed, journal, askedAs ?? pid), gate);
  const done = await decidePrinted(ask, proposed, session, withRulesOf(journal, chain), gate, now);
  if (done) {
    const { answers } = done.journal;
    return { run: done.run, answers: answers.filter((entry) => entry.type === 'model' || !journal.has(entry)) };
  }
  const late = now >= Date.parse(approval.expiresAt);
  return late ? { run: refused('expired', messages.expired(), 'expired'), answers: [] } : undefined;
}

/** False if the row changed meanwhile. The row says so first: its workflow waits on, instead of asking again and again. */
async function requeueForModel({ approval, dueAt }: ApprovalView, gate: ResolveDependencies): Promise<boolean> {
  if (!approval.deliberating) {
    const next: Approval = { ...approval, deliberating: true, version: approval.version + 1 };
    if (!(await gate.approvals.write(next, undefined, dueAfter(next, gate.clock.now(), dueAt)))) return false;
    // Until the model answered the card would ask what people have answered.
    await refreshChangedCards(next, gate.cards);
  }
  await gate.deferred.handOver(approval.pid);
  return true;
}

/** What the session keeps of people's answer, in the transaction that writes the decision. */
async function remembered(
  approval: Approval,
  proposal: Proposal,
  journal: Journal,
  human: HumanAnswer,
  { answer, calls }: Redecided,
  sessionCache: SessionCache,
  gate: ResolveDependencies,
): Promise<SessionWrites | undefined> {
  if (proposal.kind === 'cancel' || proposal.kind === 'task-message' || !gate.policy.settings.agents[approval.agent])
    return undefined;
  const own = await sessionCache.row(approval.agent, approval.sessionId);
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const child = starts && (await sessionCache.row(starts.agentId, starts.sessionId));
  const always = await sessionCache.row(approval.agent, EVERY_SESSION);
  const outcome = {
    calls,
    approved: answer.outcome === 'approved',
    allowed: new Set(answer.calls.flatMap(({ id, outcome: said }) => (said === 'approved' ? [id] : []))),
    classified: false,
    starts,
    requester: approval.requester ?? approval.owner,
  };
  const folders = journal.session?.folders;
  const rows = { own, always, child, day: sessionCache.day, now: gate.clock.now(), folders };
  const given = {
    lifetimeMs: gate.policy.settings.approvals.remember,
    shared: approval.followedRound === approval.round,
  };
  // A journal of the previous release does not say where its calls were judged: what people said then answers no later call.
  const answered = folders === undefined ? { ...human, remember: undefined } : human;
  return changesAfterPeople(outcome, answered, rows, given, gate);
}

function subjectOf({ agent, pid, proposalId, sessionId }: Approval): Subject {
  return { agent, pid, proposalId, sessionId };
}

function stateOf({ state }: Proposal): { state?: string } {
  return state === undefined ? {} : { state };
}

/**
 * After the row: those that follow get their answer, the card is drawn again, and the agent's queue, if it has one, gets the decision. Until
 * all are done the row stays due; none waits for another, and a queue that stays dead is given up. Once all were told, only the card is drawn.
 */
async function tell(
  { approval, waiters, isTold }: ApprovalView,
  decision: Decision,
  gate: ResolveDependencies,
  asleep: boolean,
): Promise<void> {
  const faults: unknown[] = [];
  const attempt = (work: () => Promise<unknown>) => work().catch((fault: unknown) => void faults.push(fault));
  for (const pid of isTold ? [] : waiters) {
    await attempt(async () => {
      if ((await answerDuplicate(pid, approval, gate)) === 'answered') await resolveApproval(pid, gate, true);
    });
  }
  await attempt(() => refreshCards(approval, `decided-${approval.version}`, gate.cards));
  const pause = isTold ? undefined : await reply(approval.agent, decision, gate);
  if (faults.length) throw faults[0];
  // The reconciler tries the agent's queue again: that is no reason for the workflow to fail.
  if (asleep) return;
  if (pause === undefined) await gate.approvals.release(approval.pid);
  else await gate.approvals.postpone(approval.pid, gate.clock.now() + pause, approval.version, true);
}
