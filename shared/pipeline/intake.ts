/**
 * Takes messages of the proposals queue to their claims (A6): allow, deny and error are decided by one conditional put; an ask opens an
 * approval in one transaction and starts its wait. Safe to run twice at any point, concurrently.
 */

import { DEFAULT_RATE } from '../config/schema.ts';
import type { Proposal } from '../contract/index.ts';
import type { DecidableProposal } from '../contract/proposal.ts';
import { auditDigest, pidOf } from '../domain/digest.ts';
import { type ReadProposal, readProposal, unreadableId } from '../domain/read-proposal.ts';
import type { BatchView, Claim, StoredClaim } from '../ports/claim-store.ts';
import { cancelProposal } from './cancel.ts';
import { type Answer, decide, refused } from './decide.ts';
import type { IntakeGate } from './gate.ts';
import { UNREGISTERED, whoSent } from './identity.ts';
import { messages } from './messages.ts';
import { openApproval } from './open.ts';
import { callRecord, decisionOf, recordOf, type Subject } from './record.ts';
import { Journal, type Session } from './session.ts';
import type { JudgedCall } from './settle.ts';
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
  const view = await gate.claims.readBatch(working.map(({ subject }) => subject));
  return Promise.allSettled(
    identified.map((message) => (admitted.has(message.incoming) ? answer(message, view, gate) : Promise.resolve())),
  );
}

/** Each sender's rate, then what of the batch may be worked. A message under a foreign group id is answered at once, not put aside. */
async function admittedOf(identified: readonly Identified[], gate: IntakeGate): Promise<ReadonlySet<Incoming>> {
  const bySender = Map.groupBy(identified, ({ subject }) => subject.agent);
  const admitted = await Promise.all(
    [...bySender].map(([sender, messages]) => {
      const rate = gate.policy.settings.agents[sender]?.rate ?? DEFAULT_RATE;
      const incoming = messages.map((message) => message.incoming);
      const foreign = incoming.some(({ groupId }) => groupId !== undefined && groupId !== sender);
      return foreign ? incoming : admit(sender, incoming, rate, gate);
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

async function answer(message: Identified, view: BatchView, gate: IntakeGate): Promise<void> {
  const { agent, read, incoming } = message;
  if (agent === undefined)
    return claimAnswer(message, refused('unregistered_sender', messages.unregistered()).answer, [], gate);
  const settings = gate.policy.settings.agents[agent];
  if (!settings) return claimAnswer(message, refused('unregistered_sender', messages.unregistered()).answer, [], gate);
  const foreign = foreignClaim(read.ok ? read.proposal : undefined, incoming.groupId, agent, settings.parents, gate);
  if (foreign) return claimAnswer(message, foreign, [], gate);
  if (!read.ok) return claimAnswer(message, refused(read.fault.code, read.fault.message).answer, [], gate);
  if (read.proposal.kind === 'cancel') return cancelProposal(read.proposal, message.subject, gate);

  const earlier = view.claims.get(message.subject.pid);
  if (earlier) return repeat(message, earlier, gate);
  await evaluate(message, read.proposal, { ...message.subject, mode: settings.mode }, view, gate);
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
  subject: Subject,
  view: BatchView,
  gate: IntakeGate,
): Promise<void> {
  const now = message.startedAt;
  const settings = gate.policy.settings.agents[subject.agent];
  if (!settings) throw new Error('the agent has no settings');
  const expiresAt = expiryOf(proposal, message.incoming.firstSentAt, gate);
  if (now >= expiresAt || message.incoming.rounds >= MOST_ROUNDS) {
    const late = refused('expired', messages.expiredBeforeRead(), 'expired').answer;
    return claimAnswer(message, late, [], gate);
  }
  const session: Session = {
    pid: subject.pid,
    agent: subject.agent,
    settings,
    sessionId: subject.sessionId ?? 'main',
    mode: settings.mode,
    control: view.control,
  };
  const journal = new Journal([{ type: 'now', place: 'start', round: 0, at: new Date(now).toISOString() }]);
  const run = await decide(proposal, session, journal, gate, now);
  if (run.kind === 'decided') return claimAnswer({ ...message, subject }, run.answer, run.calls, gate, proposal.state);

  const claim = claimOf(message, subject, 'ask', run.calls, gate);
  const result = await openApproval(claim, { proposal, session, question: run.question, journal, expiresAt }, gate);
  if (result.kind === 'exists') return repeat(message, result.claim, gate);
  if (result.kind === 'too_many_waiting') {
    const full = refused('too_many_waiting', messages.tooManyWaiting(result.limit)).answer;
    return claimAnswer({ ...message, subject }, full, run.calls, gate, proposal.state);
  }
}

/** The earlier of what was stated and the policy's maximum, from when the message came first (A10). */
function expiryOf(proposal: DecidableProposal, firstSentAt: number, gate: IntakeGate): number {
  const latest = firstSentAt + gate.policy.settings.approvals.timeout;
  return proposal.expiresAt === undefined ? latest : Math.min(latest, Date.parse(proposal.expiresAt));
}

function claimOf(
  message: Identified,
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
      durationUs: Math.max(0, Math.round((gate.clock.now() - message.startedAt) * 1000)),
    },
    decision,
  );
  return { record, verdict, contentDigest: contentDigestOf(message, gate) };
}

const contentDigestOf = ({ read }: Identified, gate: IntakeGate): string =>
  auditDigest(read.ok ? read.contentDigest : read.rawDigest, gate.digestKey);

async function claimAnswer(
  message: Identified,
  answered: Answer,
  calls: readonly JudgedCall[],
  gate: IntakeGate,
  state?: string,
): Promise<void> {
  const { read, incoming, subject } = message;
  const unread = read.ok ? {} : { messageId: incoming.messageId, rawDigest: read.rawDigest };
  const decision = decisionOf(answered, subject, gate, { ...(state === undefined ? {} : { state }), ...unread });
  const verdict = answered.outcome === 'approved' ? 'allow' : answered.outcome === 'denied' ? 'deny' : 'error';
  const result = await gate.claims.claim(claimOf(message, subject, verdict, calls, gate, decision));
  if (result.kind === 'exists') return repeat(message, result.claim, gate);
  await gate.replies.send(subject.agent, decision);
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
