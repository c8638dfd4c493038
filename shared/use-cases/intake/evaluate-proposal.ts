/** Decides one proposal with its session as it is, and what it changes there in the same write. */
import { EVERY_SESSION, type SessionRow } from '../../contract/index.ts';
import type { DecidableProposal, TaskMessageProposal } from '../../contract/proposal.ts';
import type { BatchView } from '../../ports/claim-store.ts';
import type { SessionWrites } from '../../ports/session-store.ts';
import { ownerOf } from '../conversation/decide-task.ts';
import { decidePrinted } from '../kernel/decide-printed.ts';
import { lineageOf } from '../kernel/lineage.ts';
import { messages } from '../kernel/messages.ts';
import { type AnswerNeed, NOBODY, nobodyAsked } from '../kernel/need.ts';
import { type Ended, refused } from '../kernel/run.ts';
import { Journal, modeOf, type Session } from '../kernel/session.ts';
import { outsideFault } from '../port-faults.ts';
import { redactProposal, redactRun, unseenIn } from '../redaction/redact-proposal.ts';
import { ASK_TIMEOUT_MS, answeredBefore } from '../resolvers/call-model.ts';
import { askKnown, askOutside } from '../resolvers/resolve-needs.ts';
import { chainReader, type SessionCache } from '../sessions/session-cache.ts';
import { chainOf } from '../sessions/session-chain.ts';
import { changesOf, startProblem } from '../sessions/session-updates.ts';
import { claimAnswer, claimDecided, claimOf, contentDigestOf, defer, expiryOf, isOver, repeat } from './claims.ts';
import type { IntakeDependencies } from './dependencies.ts';
import { decideTaskMessage } from './evaluate-task-message.ts';
import type { Identified } from './message.ts';
import { openApproval, waitsWithoutModel } from './open-approval.ts';
import { requesterOf } from './requester.ts';

/** Another process may write the same session in between. */
const TRIES = 5;

export type Known = Pick<BatchView, 'claims' | 'control'> & { readonly sessionCache: SessionCache };

export async function evaluate(
  message: Identified,
  proposal: DecidableProposal,
  { control, sessionCache: desk }: Known,
  gate: IntakeDependencies,
): Promise<void> {
  const now = message.startedAt;
  const { agent, pid, sessionId = 'main' } = message.subject;
  const settings = gate.policy.settings.agents[agent];
  if (!settings) throw new Error('the agent has no settings');
  const expiresAt = expiryOf(proposal, message.incoming.firstSentAt, gate);
  if (isOver(proposal, message.incoming, now, gate)) {
    const late = refused('expired', messages.expiredBeforeRead(), 'expired').answer;
    return claimAnswer(message, late, [], gate);
  }
  const requester = requesterOf(proposal, settings, gate.policy);
  if (!requester)
    return claimAnswer(message, refused('unlisted_requester', messages.unlistedRequester()).answer, [], gate);
  const kept = await redactProposal(proposal, gate.redactor, gate.policy.tools);
  if ('field' in kept)
    return claimAnswer(message, refused('secret_in_name', messages.secretInName(kept.field)).answer, [], gate);
  const start = { type: 'now', place: 'start', round: 0, at: new Date(now).toISOString() } as const;
  let journal = new Journal([start, ...(await answeredBefore(proposal, pid, gate))]);

  /** One run with the session as the desk has it; undefined: somebody has to be asked who cannot be asked here. */
  const run = async (): Promise<Attempt | undefined> => {
    const own = await desk.row(agent, sessionId);
    const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
    const child = starts && (await desk.row(starts.agentId, starts.sessionId));
    const problem = parentMismatch(own.parent, proposal) ?? startProblem(proposal, own, child, requester, gate);
    if (problem) return { own, ended: refused(problem, messages.parentProblem()), journal, writes: undefined };
    const reader = chainReader(desk, gate, control);
    const lineage = await lineageOf({ agent, sessionId }, reader);
    const sender = { agent, sessionId, requester, lineage, unseen: unseenIn(kept.proposal) };
    const chain = await chainOf(sender, proposal, now, reader);
    const mode = modeOf(chain, settings.mode);
    const session: Session = { pid, agent, settings, sessionId, requester, mode, control, lineage };
    const known = journal.with([
      {
        type: 'session',
        place: 'session',
        round: 0,
        at: new Date(now).toISOString(),
        ...chain,
        folders: { projectRoot: settings.projectRoot, home: settings.home },
        levels: [...chain.levels],
        possible: chain.possible && [...chain.possible],
      },
    ]);
    const about = { pid, agent, shown: kept.proposal, session: own, until: now + ASK_TIMEOUT_MS };
    const ask = withoutModel(askKnown(about, gate));
    let done = await decidePrinted(ask.answer, proposal, session, known, gate, now);
    if (!done) return undefined;
    // An identical call that waits is followed, and for what has no room left to wait no model is asked.
    if (ask.left() && !(await waitsWithoutModel(await redactRun(done.run, kept, gate.redactor), session, gate))) {
      const heard = done.journal.answers.filter(({ by }) => by !== NOBODY);
      const more = known.with(heard.filter((entry) => !known.has(entry)));
      done = await decidePrinted(askOutside(about, gate), proposal, session, more, gate, now);
      if (!done) return undefined;
    }
    // A second run, because the session changed, does not ask a model again.
    const said = done.journal.without(kept.secrets);
    journal = journal.with(said.answers.filter((entry) => !journal.has(entry)));
    const ended = await redactRun(done.run, kept, gate.redactor);
    // A model is told of all that the session did, also of what rules decided; nobody else reads it.
    const classified =
      done.journal.answers.some(({ type }) => type === 'classifier') ||
      (mode === 'auto' && gate.policy.settings.classifier?.model !== undefined);
    const approved = ended.kind === 'decided' && ended.answer.outcome === 'approved';
    const outcome = { calls: ended.calls, approved, classified, starts, requester };
    const always = await desk.row(agent, EVERY_SESSION);
    const writes = changesOf(outcome, { own, always, child, day: desk.day, now }, gate);
    return { own, session, ended, journal: said, writes };
  };

  const commit = async ({ ended, session, journal: known, writes }: Attempt): Promise<'done' | 'session_changed'> => {
    const subject = { ...message.subject, mode: session?.mode ?? settings.mode };
    const about = { ...message, subject, answers: known.answers, choice: ended.choice };
    if (ended.kind === 'decided' || !session) {
      if (ended.kind !== 'decided') throw new Error('nobody can be asked without a session');
      return claimDecided(about, ended.answer, ended.calls, gate, proposal.state, writes);
    }
    const claim = claimOf(about, subject, 'ask', ended.calls, gate);
    const contentDigest = contentDigestOf(message, gate);
    const asking = { proposal, kept, contentDigest, session, question: ended.question, journal: known, expiresAt };
    const result = await openApproval(claim, asking, writes, gate);
    if (result.kind === 'session_changed') return 'session_changed';
    if (result.kind === 'exists') await repeat(message, result.claim, gate);
    if (result.kind === 'too_many_waiting') {
      const full = refused('too_many_waiting', messages.tooManyWaiting(result.limit)).answer;
      await claimAnswer(about, full, ended.calls, gate, proposal.state);
    }
    return 'done';
  };

  const first = await run();
  if (!first) return defer(message, gate);
  if (!first.writes) {
    await commit(first);
    return;
  }
  // What changes a session waits for the others of its session in this batch, and is decided with what they left.
  await desk.runExclusive(agent, sessionId, async () => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const current = (await desk.row(agent, sessionId)) === first.own ? first : await run();
      if (!current) return defer(message, gate);
      if ((await commit(current)) === 'done') {
        if (current.writes) desk.apply(current.writes);
        return;
      }
      desk.invalidate();
    }
    throw outsideFault('the session kept changing while it was written');
  });
}

/** Messages of one user in one batch wait for each other. */
export async function evaluateTask(
  message: Identified,
  proposal: TaskMessageProposal,
  { control, sessionCache: desk }: Known,
  gate: IntakeDependencies,
): Promise<void> {
  const { subject, incoming, startedAt } = message;
  if (isOver(proposal, incoming, startedAt, gate))
    return claimAnswer(message, refused('expired', messages.expiredBeforeRead(), 'expired').answer, [], gate);
  await desk.runExclusive(subject.agent, ownerOf('task#', proposal.context['user_id']), async () => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const decided = await decideTaskMessage(proposal, subject, { control, sessionCache: desk }, gate);
      if (!decided) return defer(message, gate);
      const { answer: answered, calls, record, invocations, writes } = decided;
      const about = { ...message, ...(record ? { task: record } : {}), ...(invocations ? { invocations } : {}) };
      if ((await claimDecided(about, answered, calls, gate, proposal.state, writes)) === 'done') return;
      desk.invalidate();
    }
    throw outsideFault('the conversation kept changing while it was written');
  });
}

/** Runs as if no model answered, and tells whether one would have been asked. */
function withoutModel(known: AnswerNeed): { readonly answer: AnswerNeed; readonly left: () => boolean } {
  let left = false;
  return {
    left: () => left,
    async answer(need) {
      const given = await known(need);
      if (given || need.type !== 'classifier') return given;
      left = true;
      return nobodyAsked(need, 'an identical call waits for people, or no more may wait');
    },
  };
}

interface Attempt {
  readonly own: SessionRow;
  /** Absent if the proposal was refused before it was judged. */
  readonly session?: Session;
  readonly ended: Ended;
  readonly journal: Journal;
  readonly writes: SessionWrites | undefined;
}

/** A session that has a parent cannot name another one. */
function parentMismatch(parent: SessionRow['parent'], proposal: DecidableProposal): string | undefined {
  const { parentAgentId, parentSessionId } = proposal;
  if (!parent || (parentAgentId === undefined && parentSessionId === undefined)) return undefined;
  const same =
    (parentAgentId ?? parent.agentId) === parent.agentId && (parentSessionId ?? parent.sessionId) === parent.sessionId;
  return same ? undefined : 'not_your_parent';
}
