/** Writes what was decided of a message: its claim, which is the decision and its audit entry; or puts the message aside. */
import type { AnswerEntry, AuditEntry, Proposal } from '../../contract/index.ts';
import { auditDigest } from '../../domain/digest.ts';
import type { Claim, StoredClaim } from '../../ports/claim-store.ts';
import type { SessionWrites } from '../../ports/session-store.ts';
import { replyOrComeAgain } from '../approvals/reply.ts';
import { answersRecord, callRecord, decisionOf, recordOf, type Subject } from '../audit/audit-entry.ts';
import type { JudgedCall } from '../kernel/judged-call.ts';
import { messages } from '../kernel/messages.ts';
import { type Answer, type ChoiceTrace, refused } from '../kernel/run.ts';
import type { IntakeDependencies } from './dependencies.ts';
import type { Identified, Incoming } from './message.ts';
import { MAX_ROUNDS } from './rate-limit.ts';

/** With what a run left behind for the record. */
export type WorkResult = Identified & {
  readonly answers?: readonly AnswerEntry[];
  readonly choice?: ChoiceTrace | undefined;
  readonly task?: AuditEntry['task'];
  readonly invocations?: AuditEntry['invocations'];
};

/** For `deliberate`, which may ask models. Its time and its sender stay the message's own. */
export function defer({ incoming }: Identified, gate: IntakeDependencies): Promise<void> {
  const { principal, firstSentAt, messageId, rounds, raw } = incoming;
  const aside = { principal, firstSentAt, messageId, rounds: rounds + 1, raw, admitted: true, isSlow: true };
  return gate.deferred.defer(aside, 0);
}

/** The earlier of what was stated and the policy's maximum, from when the message came first. */
export function expiryOf(proposal: Pick<Proposal, 'expiresAt'>, firstSentAt: number, gate: IntakeDependencies): number {
  const latest = firstSentAt + gate.policy.settings.approvals.timeout;
  return proposal.expiresAt === undefined ? latest : Math.min(latest, Date.parse(proposal.expiresAt));
}

/** Whether it is answered `expired` now, whatever else holds: its time is over, or it was put aside as often as may be (A12). */
export const isOver = (
  proposal: Pick<Proposal, 'expiresAt'>,
  { firstSentAt, rounds }: Pick<Incoming, 'firstSentAt' | 'rounds'>,
  now: number,
  gate: IntakeDependencies,
): boolean => now >= expiryOf(proposal, firstSentAt, gate) || rounds >= MAX_ROUNDS;

export function claimOf(
  message: WorkResult,
  subject: Subject,
  verdict: Claim['verdict'],
  calls: readonly JudgedCall[],
  gate: IntakeDependencies,
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
      ...(message.invocations?.length ? { invocations: message.invocations } : {}),
      durationUs: Math.max(0, Math.round((gate.clock.now() - message.startedAt) * 1000)),
      ...(asksForBypass(message, subject) && !gate.policy.settings.bypass.enabled ? { detail: BYPASS_OFF } : {}),
    },
    decision,
  );
  return { record, verdict, contentDigest: contentDigestOf(message, gate) };
}

/** A proposal that asks for bypass where it is off has default mode, and the record says so. */
const BYPASS_OFF = 'bypass is off: default mode counted';

const asksForBypass = ({ read }: Identified, { mode }: Subject): boolean =>
  mode === 'bypass' || (read.ok && read.proposal.kind === 'tool-call' && read.proposal.mode === 'bypass');

export const contentDigestOf = ({ read }: Identified, gate: IntakeDependencies): string =>
  auditDigest(read.ok ? read.contentDigest : read.rawDigest, gate.digestKey);

export async function claimAnswer(
  message: WorkResult,
  answered: Answer,
  calls: readonly JudgedCall[],
  gate: IntakeDependencies,
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

export async function claimDecided(
  message: WorkResult,
  answered: Answer,
  calls: readonly JudgedCall[],
  gate: IntakeDependencies,
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
  else await replyOrComeAgain(subject.agent, decision, gate);
  return 'done';
}

/** The same proposal again gets the same answer; the same id with other content is refused, and the first stands. */
export async function repeat(message: Identified, earlier: StoredClaim, gate: IntakeDependencies): Promise<void> {
  const { subject } = message;
  const digest = contentDigestOf(message, gate);
  const same = earlier.contentDigest === null || earlier.contentDigest === digest;
  if (same) {
    if (earlier.decision) return replyOrComeAgain(subject.agent, earlier.decision, gate);
    const waiting = await gate.approvals.read(subject.pid);
    if (waiting?.approval.status === 'pending') await gate.workflow.start(subject.pid, waiting.approval.expiresAt);
    if (waiting?.decision) await replyOrComeAgain(subject.agent, waiting.decision, gate);
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
  await replyOrComeAgain(subject.agent, decision, gate);
}
