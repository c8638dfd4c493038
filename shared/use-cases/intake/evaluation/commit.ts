/**
 * Commits what was decided of a message: an answer as its claim, a question as an approval.
 * Each refusal leaves through `refuse`.
 */
import type { Claim, StoredClaim } from '../../../ports/stores/claim-store.ts';
import type { SessionWrites } from '../../../ports/stores/session-store.ts';
import { replyOrComeAgain } from '../../approvals/reply.ts';
import { endLost } from '../../approvals/resolution/end-lost.ts';
import { decisionOf, recordOf } from '../../audit/audit-entry.ts';
import { askedField, proposalFields } from '../../audit/proposal-text.ts';
import { shownSubject } from '../../audit/shown-subject.ts';
import type { CallWithVerdict } from '../../kernel/calls/authorization/call-with-verdict.ts';
import { type KernelAnswer, type KernelRefusal, refused } from '../../kernel/calls/run.ts';
import { messages } from '../../model-messages.ts';
import { CONFLICT } from '../../retry-on-conflict.ts';
import type { Admitted } from '../admission/admit-proposal.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Identified } from '../message.ts';
import { claimOf, contentDigestOf, type WorkResult } from './claims.ts';
import type { Attempt } from './decide-in-session.ts';
import { openApproval } from './open-approval.ts';

/** `CONFLICT`: a session was changed meanwhile, and nothing was written. */
type Committed = 'done' | typeof CONFLICT;

/** The answer to a message, and what it changes beside its claim. */
interface AnsweredMessage {
  readonly answer: KernelAnswer;
  readonly calls: readonly CallWithVerdict[];
  /** The agent's opaque `state`, which its decision echoes. */
  readonly state?: string | undefined;
  readonly writes?: SessionWrites | undefined;
}

export async function commit(
  attempt: Exclude<Attempt, { kind: 'deferred' }>,
  admitted: Admitted,
  deps: IntakeDependencies,
): Promise<Committed> {
  const { message, proposal, settings, redacted } = admitted;
  const { state } = proposal;
  const subject = { ...message.subject, mode: attempt.kind === 'refused' ? settings.mode : attempt.session.mode };
  const levels = attempt.kind === 'refused' ? [] : (attempt.journal.session?.levels ?? []);
  const told = proposalFields(redacted.proposal, levels, deps);
  const about: WorkResult = { ...message, subject, answers: attempt.journal.answers, recorded: told };
  if (attempt.kind === 'refused') return refuse(about, attempt, deps, { calls: [], state });
  const { run, session, journal, writes } = attempt;
  const { calls, choice } = run;
  if (run.kind === 'decided')
    return commitAnswer({ ...about, choice }, { answer: run.answer, calls, state, writes }, deps);
  const asked = { ...told, ...askedField(run.question, deps) };
  const claim = claimOf({ ...about, recorded: asked, choice }, 'ask', calls, deps);
  const opened = await openApproval(claim, { ...admitted, session, question: run.question, journal }, writes, deps);
  switch (opened.kind) {
    case 'claimed':
      return 'done';
    case 'session_changed':
      return CONFLICT;
    case 'exists':
      return repeat(message, opened.claim, deps);
    case 'too_many_waiting': {
      const full = { code: 'too_many_waiting', message: messages.tooManyWaiting(opened.limit) };
      return refuse({ ...about, choice }, full, deps, { calls, state });
    }
    default:
      return opened satisfies never;
  }
}

/** Refuses a message as a whole. Each such refusal leaves through here. `left`: the calls of a run that had judged them already. */
export async function refuse(
  message: WorkResult,
  { code, message: why, outcome }: KernelRefusal,
  deps: IntakeDependencies,
  left: Omit<AnsweredMessage, 'answer' | 'writes'> = { calls: [] },
): Promise<Committed> {
  const subject = await shownSubject(message.subject, deps.redactor);
  return commitAnswer({ ...message, subject }, { ...left, answer: refused(code, why, outcome).answer }, deps);
}

/** The verdicts of outcomes; any other outcome is `error`. */
const VERDICTS: Partial<Record<KernelAnswer['outcome'], Claim['verdict']>> = {
  approved: 'allow',
  answered: 'allow',
  denied: 'deny',
};

/** Writes the claim, which is the decision and its audit entry (A6), and tells the agent. */
export async function commitAnswer(
  message: WorkResult,
  answered: AnsweredMessage,
  deps: IntakeDependencies,
): Promise<Committed> {
  const { read, incoming, subject } = message;
  const { answer, calls, state, writes } = answered;
  const unread = {
    ...(subject.proposalId === null ? { messageId: incoming.messageId } : {}),
    ...(read.ok ? {} : { messageId: incoming.messageId, rawDigest: read.rawDigest }),
  };
  const decision = decisionOf(answer, subject, deps, { ...(state === undefined ? {} : { state }), ...unread });
  const verdict = VERDICTS[answer.outcome] ?? 'error';
  const result = await deps.claims.claim(claimOf(message, verdict, calls, deps, decision), writes);
  if (result.kind === 'session_changed') return CONFLICT;
  if (result.kind === 'exists') return repeat(message, result.claim, deps);
  await replyOrComeAgain(subject.agent, decision, deps);
  return 'done';
}

/** Answers a repeated message: the same content gets the first answer again. Other content under the same id is refused, and the first stands. */
export async function repeat(message: Identified, earlier: StoredClaim, deps: IntakeDependencies): Promise<'done'> {
  const digest = contentDigestOf(message, deps);
  if (earlier.contentDigest === null || earlier.contentDigest === digest) {
    await repeatAnswer(message, earlier, deps);
    return 'done';
  }
  const subject = await shownSubject(message.subject, deps.redactor);
  const { answer: conflict } = refused('proposal_id_conflict', messages.conflict());
  const unnamed = subject.proposalId === null ? { messageId: message.incoming.messageId } : {};
  const decision = decisionOf(conflict, subject, deps, unnamed);
  const record = recordOf(deps, subject, `refused#${digest}`, {
    type: 'refused',
    reasonCode: 'proposal_id_conflict',
    outcome: 'error',
  });
  await deps.audit.put(record);
  await replyOrComeAgain(subject.agent, decision, deps);
  return 'done';
}

async function repeatAnswer({ subject }: Identified, earlier: StoredClaim, deps: IntakeDependencies): Promise<void> {
  const { agent, pid } = subject;
  if (earlier.decision) return replyOrComeAgain(agent, earlier.decision, deps, true);
  const waiting = await deps.approvals.read(pid);
  if (!waiting)
    return endLost(await shownSubject(subject, deps.redactor), refused('row_gone', messages.rowGone()).answer, deps);
  if (waiting.approval.status === 'pending') await deps.workflow.start(pid, waiting.approval.expiresAt);
  if (waiting.decision) await replyOrComeAgain(agent, waiting.decision, deps, true);
}

/** Hands the message to `deliberate`, which may ask models. The message keeps its time and its sender. */
export function defer({ incoming }: Identified, deps: IntakeDependencies): Promise<void> {
  const { principal, firstSentAt, messageId, rounds, raw } = incoming;
  const deferred = { principal, firstSentAt, messageId, rounds: rounds + 1, raw, admitted: true, isSlow: true };
  return deps.deferred.defer(deferred, 0);
}
