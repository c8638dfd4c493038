/**
 * Takes messages of the proposals queue to their claims (A6): allow, deny and error are decided by one conditional put; an ask opens an
 * approval in one transaction and starts its wait. Safe to run twice at any point, concurrently.
 */

import { DEFAULT_RATE } from '../config/defaults.ts';
import { type AnswerEntry, type AuditEntry, EVERY_SESSION, type Proposal, type SessionRow } from '../contract/index.ts';
import type { DecidableProposal, TaskMessageProposal } from '../contract/proposal.ts';
import { auditDigest, pidOf } from '../domain/digest.ts';
import { type ReadProposal, readProposal, unreadableId } from '../domain/read-proposal.ts';
import { dayOf } from '../domain/session.ts';
import type { BatchView, Claim, StoredClaim } from '../ports/claim-store.ts';
import type { SessionWrites } from '../ports/session-store.ts';
import { askHook } from './ask-hook.ts';
import { ASKING_MS, answeredBefore, answerModel } from './ask-model.ts';
import { cancelProposal } from './cancel.ts';
import { chainOf } from './chain.ts';
import { classify } from './classify.ts';
import { decideWith } from './decide.ts';
import { chainReader, Desk } from './desk.ts';
import type { IntakeGate } from './gate.ts';
import { UNREGISTERED, whoSent } from './identity.ts';
import { keepable, keepRun } from './keepable.ts';
import { messages } from './messages.ts';
import type { AnswerNeed } from './need.ts';
import { openApproval } from './open.ts';
import { answersRecord, callRecord, decisionOf, recordOf, type Subject } from './record.ts';
import { type Answer, type ChoiceTrace, type Ended, refused } from './run.ts';
import { Journal, type Session } from './session.ts';
import { changesOf, startProblem } from './session-changes.ts';
import type { JudgedCall } from './settle.ts';
import { decideTaskMessage } from './task-message.ts';
import { admit, MOST_ROUNDS } from './throttle.ts';

/** One message as the queue delivers it. */
export interface Incoming {
  readonly messageId: string;
  readonly raw: string;
  /** SQS's SenderId, or that of the wrapper of a deferred message (A12). */
  readonly principal: string;
  readonly groupId?: string | undefined;
  /** Milliseconds since 1970, from the queue. */
  readonly firstSentAt: number;
  /** How often the message was put aside before (A12). */
  readonly rounds: number;
}

interface Identified {
  readonly incoming: Incoming;
  readonly read: ReadProposal;
  /** Undefined: the sender is registered as nobody. */
  readonly agent: string | undefined;
  readonly subject: Subject;
  readonly startedAt: number;
}

/** The outcome of each message, in order; a rejected one is the gate's own fault and goes back to the queue. */
export async function intake(batch: readonly Incoming[], gate: IntakeGate): Promise<PromiseSettledResult<void>[]> {
  const identified = await Promise.all(batch.map((incoming) => identify(incoming, gate)));
  const admitted = await admittedOf(identified, gate);
  const working = identified.filter(({ incoming }) => admitted.has(incoming));
  if (!working.length) return batch.map(() => ({ status: 'fulfilled', value: undefined }));
  const day = dayOf(gate.clock.now());
  const keys = working.map((message) => ({ ...message.subject, sessions: sessionsOf(message, gate) }));
  const view = await gate.claims.readBatch(keys, day);
  const desk = new Desk(
    gate.sessions,
    day,
    view,
    keys.flatMap(({ sessions }) => sessions),
  );
  const known = { ...view, desk };
  return Promise.allSettled(
    identified.map((message) => (admitted.has(message.incoming) ? answer(message, known, gate) : Promise.resolve())),
  );
}

type Known = Pick<BatchView, 'claims' | 'control'> & { readonly desk: Desk };

/** The rows that a decision may depend on or change: the sender's own session, and the one that the call starts. */
function sessionsOf({ agent, read }: Identified, gate: IntakeGate) {
  if (agent === undefined || !gate.policy.settings.agents[agent]) return [];
  if (!read.ok || read.proposal.kind === 'cancel') return [];
  const { proposal } = read;
  const own = { agent, sessionId: proposal.sessionId ?? 'main' };
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const always = { agent, sessionId: EVERY_SESSION };
  return starts ? [own, always, { agent: starts.agentId, sessionId: starts.sessionId }] : [own, always];
}

/** Each sender's rate, then what of the batch may be worked. A message under a foreign group id is answered at once, not put aside. */
async function admittedOf(identified: readonly Identified[], gate: IntakeGate): Promise<ReadonlySet<Incoming>> {
  const bySender = Map.groupBy(identified, ({ subject }) => subject.agent);
  const admitted = await Promise.all(
    [...bySender].map(async ([sender, messages]) => {
      const rate = gate.policy.settings.agents[sender]?.rate ?? DEFAULT_RATE;
      const isForeign = ({ groupId }: Incoming) => groupId !== undefined && groupId !== sender;
      const { foreign = [], own = [] } = Object.groupBy(
        messages.map((message) => message.incoming),
        (incoming) => (isForeign(incoming) ? 'foreign' : 'own'),
      );
      return own.length ? [...foreign, ...(await admit(sender, own, rate, gate))] : foreign;
    }),
  );
  return new Set(admitted.flat());
}

async function identify(incoming: Incoming, gate: IntakeGate): Promise<Identified> {
  const startedAt = gate.clock.now();
  const agent = await whoSent(incoming.principal, gate.agents, gate);
  const read = readProposal(incoming.raw, startedAt);
  const proposalId = read.ok ? read.proposal.proposalId : read.proposalId;
  const filedUnder = proposalId ?? (read.ok ? '' : unreadableId(read.rawDigest));
  const name = agent ?? UNREGISTERED;
  const subject: Subject = {
    agent: name,
    pid: pidOf(gate.deployment, name, filedUnder),
    proposalId,
    ...(read.ok ? { sessionId: read.proposal.sessionId ?? 'main', claimedSentAt: read.proposal.sentAt } : {}),
  };
  return { incoming, read, agent, subject, startedAt };
}

async function answer(message: Identified, view: Known, gate: IntakeGate): Promise<void> {
  const { agent, read, incoming } = message;
  if (agent === undefined)
    return claimAnswer(message, refused('unregistered_sender', messages.unregistered()).answer, [], gate);
  const settings = gate.policy.settings.agents[agent];
  if (!settings) return claimAnswer(message, refused('unregistered_sender', messages.unregistered()).answer, [], gate);
  const foreign = foreignClaim(read.ok ? read.proposal : undefined, incoming.groupId, agent, settings.parents, gate);
  if (foreign) return claimAnswer(message, foreign, [], gate);
  if (!read.ok) {
    // What a fault says may quote the message.
    const said = await gate.redactor.text(read.fault.message);
    return claimAnswer(message, refused(read.fault.code, said).answer, [], gate);
  }
  if (read.proposal.kind === 'cancel') return cancelProposal(read.proposal, message.subject, gate);

  const earlier = view.claims.get(message.subject.pid);
  if (earlier) return repeat(message, earlier, gate);
  if (read.proposal.kind === 'task-message') return evaluateTask(message, read.proposal, view, gate);
  await evaluate(message, read.proposal, view, gate);
}

/** What the body says about its sender has to be what the platform says (A2, rules.md "Input"). */
function foreignClaim(
  proposal: Proposal | undefined,
  groupId: string | undefined,
  agent: string,
  parents: readonly string[],
  gate: IntakeGate,
): Answer | undefined {
  if (groupId !== undefined && groupId !== agent) return refused('not_your_agent', messages.notYourAgent()).answer;
  if (proposal?.agentId !== undefined && proposal.agentId !== agent) {
    return refused('not_your_agent', messages.notYourAgent()).answer;
  }
  if (proposal?.tenantId !== undefined && proposal.tenantId !== gate.deployment) {
    return refused('not_your_tenant', 'tenantId: is not this deployment').answer;
  }
  if (proposal?.parentAgentId !== undefined && !parents.includes(proposal.parentAgentId)) {
    return refused('unlisted_parent', 'parentAgentId: the policy file does not list this parent').answer;
  }
  return undefined;
}

async function evaluate(
  message: Identified,
  proposal: DecidableProposal,
  { control, desk }: Known,
  gate: IntakeGate,
): Promise<void> {
  const now = message.startedAt;
  const { agent, pid, sessionId = 'main' } = message.subject;
  const settings = gate.policy.settings.agents[agent];
  if (!settings) throw new Error('the agent has no settings');
  const expiresAt = expiryOf(proposal, message.incoming.firstSentAt, gate);
  if (now >= expiresAt || message.incoming.rounds >= MOST_ROUNDS) {
    const late = refused('expired', messages.expiredBeforeRead(), 'expired').answer;
    return claimAnswer(message, late, [], gate);
  }
  const kept = await keepable(proposal, gate.redactor);
  if ('field' in kept)
    return claimAnswer(message, refused('secret_in_name', messages.secretInName(kept.field)).answer, [], gate);
  const start = { type: 'now', place: 'start', round: 0, at: new Date(now).toISOString() } as const;
  let journal = new Journal([start, ...(await answeredBefore(proposal, pid, gate))]);

  /** One run with the session as the desk has it; undefined: somebody has to be asked who cannot be asked here. */
  const run = async (): Promise<Attempt | undefined> => {
    const own = await desk.row(agent, sessionId);
    const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
    const child = starts && (await desk.row(starts.agentId, starts.sessionId));
    const problem = strangerThan(own.parent, proposal) ?? startProblem(proposal, own, child, gate);
    if (problem) return { own, ended: refused(problem, messages.parentProblem()), journal, writes: undefined };
    const chain = await chainOf(agent, sessionId, proposal, now, chainReader(desk, gate));
    const mode = chain.levels[0]?.mode ?? settings.mode;
    const session: Session = { pid, agent, settings, sessionId, mode, control };
    const known = journal.with([
      {
        type: 'session',
        place: 'session',
        round: 0,
        at: new Date(now).toISOString(),
        ...chain,
        levels: [...chain.levels],
      },
    ]);
    const ask: AnswerNeed = async (need) => {
      switch (need.type) {
        case 'hook':
          return askHook(need, pid, gate);
        case 'model':
          return answerModel(need, pid, now + ASKING_MS, gate);
        case 'classifier':
          return classify(need, own, gate);
        default:
          return need satisfies never;
      }
    };
    const done = await decideWith(ask, proposal, session, known, gate, now);
    if (!done) return undefined;
    // A second run, because the session changed, does not ask a model again.
    const said = done.journal.without(kept.secrets);
    journal = journal.with(said.answers.filter((entry) => !journal.has(entry)));
    const ended = await keepRun(done.run, kept, gate.redactor);
    // A model is told of all that the session did, also of what rules decided (R4-123); nobody else reads it.
    const classified =
      done.journal.answers.some(({ type }) => type === 'classifier') ||
      (mode === 'auto' && gate.policy.settings.classifier?.model !== undefined);
    const approved = ended.kind === 'decided' && ended.answer.outcome === 'approved';
    const outcome = { proposal, calls: ended.calls, approved, classified };
    const writes = changesOf(outcome, { own, child, day: desk.day, now }, gate);
    return { own, session, ended, journal: said, writes };
  };

  const conclude = async ({ ended, session, journal: known, writes }: Attempt): Promise<'done' | 'session_changed'> => {
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
  if (!first) return putAside(message, gate);
  if (!first.writes) {
    await conclude(first);
    return;
  }
  // What changes a session waits for the others of its session in this batch, and is decided with what they left (D12).
  await desk.inLine(agent, sessionId, async () => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const current = attempt === 0 && (await desk.row(agent, sessionId)) === first.own ? first : await run();
      if (!current) return putAside(message, gate);
      if ((await conclude(current)) === 'done') {
        if (current.writes) desk.wrote(current.writes);
        return;
      }
      desk.forget();
    }
    throw new Error('the session kept changing while it was written');
  });
}

/** Another process may write the same session in between. */
const TRIES = 5;

/** Messages of one user in one batch wait for each other. */
async function evaluateTask(
  message: Identified,
  proposal: TaskMessageProposal,
  { control, desk }: Known,
  gate: IntakeGate,
): Promise<void> {
  const { subject, incoming, startedAt } = message;
  if (startedAt >= expiryOf(proposal, incoming.firstSentAt, gate) || incoming.rounds >= MOST_ROUNDS)
    return claimAnswer(message, refused('expired', messages.expiredBeforeRead(), 'expired').answer, [], gate);
  await desk.inLine(subject.agent, `task#${String(proposal.context['user_id'])}`, async () => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const decided = await decideTaskMessage(proposal, subject, { control, desk }, gate);
      if (!decided) return putAside(message, gate);
      const { answer: answered, calls, record, writes } = decided;
      const about = { ...message, ...(record ? { task: record } : {}) };
      if ((await claimDecided(about, answered, calls, gate, proposal.state, writes)) === 'done') return;
      desk.forget();
    }
    throw new Error('the conversation kept changing while it was written');
  });
}

interface Attempt {
  readonly own: SessionRow;
  /** Absent if the proposal was refused before it was judged. */
  readonly session?: Session;
  readonly ended: Ended;
  readonly journal: Journal;
  readonly writes: SessionWrites | undefined;
}

/** With what a run left behind for the record. */
type Worked = Identified & {
  readonly answers?: readonly AnswerEntry[];
  readonly choice?: ChoiceTrace | undefined;
  readonly task?: AuditEntry['task'];
};

/** A session that has a parent cannot name another one (A3). */
function strangerThan(parent: SessionRow['parent'], proposal: DecidableProposal): string | undefined {
  const { parentAgentId, parentSessionId } = proposal;
  if (!parent || (parentAgentId === undefined && parentSessionId === undefined)) return undefined;
  const same =
    (parentAgentId ?? parent.agentId) === parent.agentId && (parentSessionId ?? parent.sessionId) === parent.sessionId;
  return same ? undefined : 'not_your_parent';
}

/** For `deliberate`, which may ask models (A11). Its time and its sender stay the message's own (A12). */
function putAside({ incoming }: Identified, gate: IntakeGate): Promise<void> {
  const { principal, firstSentAt, messageId, rounds, raw } = incoming;
  return gate.deferred.defer({ principal, firstSentAt, messageId, rounds: rounds + 1, raw }, 0);
}

/** The earlier of what was stated and the policy's maximum, from when the message came first (A10). */
function expiryOf(proposal: Pick<Proposal, 'expiresAt'>, firstSentAt: number, gate: IntakeGate): number {
  const latest = firstSentAt + gate.policy.settings.approvals.timeout;
  return proposal.expiresAt === undefined ? latest : Math.min(latest, Date.parse(proposal.expiresAt));
}

function claimOf(
  message: Worked,
  subject: Subject,
  verdict: Claim['verdict'],
  calls: readonly JudgedCall[],
  gate: IntakeGate,
  decision?: ReturnType<typeof decisionOf>,
): Claim {
  const record = recordOf(
    gate,
    subject,
    'evaluated',
    {
      type: 'evaluated',
      calls: calls.map((call) => callRecord(gate, call)),
      ...answersRecord(message.answers ?? [], message.choice),
      ...(message.task ? { task: message.task } : {}),
      durationUs: Math.max(0, Math.round((gate.clock.now() - message.startedAt) * 1000)),
    },
    decision,
  );
  return { record, verdict, contentDigest: contentDigestOf(message, gate) };
}

const contentDigestOf = ({ read }: Identified, gate: IntakeGate): string =>
  auditDigest(read.ok ? read.contentDigest : read.rawDigest, gate.digestKey);

async function claimAnswer(
  message: Worked,
  answered: Answer,
  calls: readonly JudgedCall[],
  gate: IntakeGate,
  state?: string,
): Promise<void> {
  await claimDecided(message, answered, calls, gate, state, undefined);
}

/** Any other outcome is an error. */
const VERDICTS: Partial<Record<Answer['outcome'], Claim['verdict']>> = {
  approved: 'allow',
  answered: 'allow',
  denied: 'deny',
};

async function claimDecided(
  message: Worked,
  answered: Answer,
  calls: readonly JudgedCall[],
  gate: IntakeGate,
  state: string | undefined,
  writes: SessionWrites | undefined,
): Promise<'done' | 'session_changed'> {
  const { read, incoming, subject } = message;
  const unread = read.ok ? {} : { messageId: incoming.messageId, rawDigest: read.rawDigest };
  const decision = decisionOf(answered, subject, gate, { ...(state === undefined ? {} : { state }), ...unread });
  const verdict = VERDICTS[answered.outcome] ?? 'error';
  const result = await gate.claims.claim(claimOf(message, subject, verdict, calls, gate, decision), writes);
  if (result.kind === 'session_changed') return 'session_changed';
  if (result.kind === 'exists') await repeat(message, result.claim, gate);
  else await gate.replies.send(subject.agent, decision);
  return 'done';
}

/** The same proposal again gets the same answer; the same id with other content is refused, and the first stands (A6). */
async function repeat(message: Identified, earlier: StoredClaim, gate: IntakeGate): Promise<void> {
  const { subject } = message;
  const digest = contentDigestOf(message, gate);
  const same = earlier.contentDigest === null || earlier.contentDigest === digest;
  if (same) {
    if (earlier.decision) return gate.replies.send(subject.agent, earlier.decision);
    const waiting = await gate.approvals.read(subject.pid);
    if (waiting?.approval.status === 'pending') await gate.workflow.start(subject.pid, waiting.approval.expiresAt);
    if (waiting?.decision) await gate.replies.send(subject.agent, waiting.decision);
    return;
  }
  const { answer: conflict } = refused('proposal_id_conflict', messages.conflict());
  const decision = decisionOf(conflict, subject, gate);
  const record = recordOf(gate, subject, `refused#${digest}`, {
    type: 'refused',
    reasonCode: 'proposal_id_conflict',
    outcome: 'error',
  });
  await gate.audit.put(record);
  await gate.replies.send(subject.agent, decision);
}
