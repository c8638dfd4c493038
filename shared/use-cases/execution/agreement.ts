/**
 * Compares a decision with what it came from before its permit is taken.
 *
 * A forged row gives no permit.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Approval, AuditEntry, CallDecision, Person } from '../../contract/index.ts';
import { callsOf, statusByVotes, tallyOf } from '../../domain/approval/approval.ts';
import { auditDigest } from '../../domain/digest.ts';
import type { ApprovalStore } from '../../ports/stores/approval-store.ts';
import type { AuditLog, AuditRecord } from '../../ports/stores/audit-log.ts';
import { recordedVotes } from '../approvals/resolution/recorded-votes.ts';
import { namesForgotten } from '../audit/entry-aliases.ts';

interface AgreementDependencies {
  readonly audit: AuditLog;
  readonly approvals: ApprovalStore;
  readonly digestKey: Uint8Array;
}

interface AgreementSubject {
  readonly agent: string;
  readonly pid: string;
  readonly callId: string;
}

/**
 * The record that decided a call. Undefined: there is none yet. `disagrees`: it is not what its claim, its approval or the votes of people
 * come to, which none of the gate's functions writes: somebody changed one of them.
 */
export async function decidingRecord(
  subject: AgreementSubject,
  deps: AgreementDependencies,
): Promise<AuditRecord | 'disagrees' | undefined> {
  const { agent, pid, callId } = subject;
  const records = await deps.audit.ofProposal(agent, pid, ['decision']);
  const named = (sort: string) => records.find(({ key }) => key.sort === sort);
  const [claim, decided] = [named('evaluated'), named('decided')];
  // A decision without a claim, or beside one that decided by itself, was put by somebody else.
  if (!claim) return decided ? 'disagrees' : undefined;
  if (claim.verdict !== 'ask' && decided) return 'disagrees';
  const deciding = claim.verdict === 'ask' ? decided : claim;
  const call = deciding?.decision?.calls.find(({ id }) => id === callId);
  if (!deciding?.decision || !call?.permit) return deciding;
  const isBound =
    claim.verdict === 'ask'
      ? !claim.decision && (await isOfApproval(deciding, call, subject, deps))
      : isByRule(claim, call);
  return isBound && isOfItsCall(deciding, call, deps.digestKey) ? deciding : 'disagrees';
}

/** Rules decide each call of a proposal by itself: the claim of several says `deny` where one of them is denied. */
function isByRule({ verdict, entry: { calls = [] } }: AuditRecord, { id, decidedBy }: CallDecision): boolean {
  if (decidedBy.type === 'human') return false;
  if (verdict === 'allow') return true;
  const isOfAnother = calls.some((one) => one.id !== id && one.verdict === verdict);
  return (
    (verdict === 'deny' || verdict === 'error') &&
    isOfAnother &&
    calls.find((one) => one.id === id)?.verdict === 'allow'
  );
}

/** The permit is for the action that the entry says was judged; both digests are keyed. */
function isOfItsCall({ entry }: AuditRecord, { id, permit }: CallDecision, key: Uint8Array): boolean {
  const authorized = entry.calls?.find((one) => one.id === id);
  if (!authorized || !permit) return false;
  return [authorized.auditDigest, authorized.effectiveDigest].includes(auditDigest(permit.actionDigest, key));
}

/** The approval's row ended so, holds the same decision, and its votes are on the record. */
async function isOfApproval(
  record: AuditRecord,
  call: CallDecision,
  { agent, pid }: AgreementSubject,
  deps: AgreementDependencies,
): Promise<boolean> {
  const { entry, decision } = record;
  const view = await deps.approvals.read(pid);
  if (!view?.decision || view.approval.agent !== agent || view.approval.pid !== pid) return false;
  const { approval } = view;
  if (!allows(approval, call)) return false;
  // Votes of somebody who was forgotten can be compared with nothing. The caller refuses the permit as revoked.
  if (namesForgotten(record)) return true;
  if (!isDeepStrictEqual(view.decision, decision)) return false;
  if (call.decidedBy.type !== 'human') return true;
  const named = peopleOf(call);
  const recorded = await recordedVotes(approval, deps, named);
  return (
    isWhatWasAnswered(entry, approval, call, deps.digestKey) &&
    statusByVotes(approval) === approval.status &&
    named.every(recorded.hasFrom) &&
    approval.votes.every((vote) => recorded.has(vote))
  );
}

/** The action that was judged is the one that people saw, or made of it: the digest of a vote is of these. */
function isWhatWasAnswered(
  { calls = [] }: AuditEntry,
  { question, votes }: Approval,
  { id }: CallDecision,
  key: Uint8Array,
): boolean {
  const asked = callsOf(question).find((one) => one.id === id);
  if (!asked) return true;
  const edit = votes.find((vote) => vote.choice === 'edit' && vote.callId === id);
  const { actionDigest } = edit?.choice === 'edit' ? edit : asked;
  return calls.find((one) => one.id === id)?.auditDigest === auditDigest(actionDigest, key);
}

/** Whether the row, as it ended, lets this call run: people approved it, or were not asked about it. */
function allows(approval: Approval, { id, decidedBy }: CallDecision): boolean {
  const { status, question, votes } = approval;
  const isAsked = callsOf(question).some((one) => one.id === id);
  switch (status) {
    case 'pending':
    case 'cancelled':
      return false;
    case 'approved':
      return !isAsked || (decidedBy.type === 'human' && tallyOf(approval, id) === 'approved');
    case 'edited':
      return (
        !isAsked || (decidedBy.type === 'human' && votes.some((vote) => vote.choice === 'edit' && vote.callId === id))
      );
    case 'expired':
      return !isAsked || (decidedBy.type === 'policy' && question.onTimeout === 'approve');
    case 'rejected':
    case 'answered':
    case 'substituted':
      return !isAsked;
    default:
      return status satisfies never;
  }
}

/** Everybody named as having decided it: by the decision (`team/user`, joined by commas, as many as fit) and by the permit. */
function peopleOf({ decidedBy, permit }: CallDecision): Person[] {
  const named = decidedBy.id.split(',').map((one) => {
    const [team = '', user = ''] = one.split('/');
    return { team, user };
  });
  return [...named, ...(permit?.allowedBy?.people ?? [])];
}
