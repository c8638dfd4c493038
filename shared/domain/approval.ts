/**
 * The approval state machine: pure, one terminal state (G18). Every transition gives the next row, or the reason why there is none;
 * the adapter writes it on the condition that the version is still the one read (A7).
 */
import type { Approval, ApprovalStatus, Person, Vote } from '../contract/index.ts';

export type Refusal =
  | 'already_decided'
  | 'expired'
  | 'already_voted'
  | 'not_yet_expired'
  | 'owner_cannot_approve'
  | 'not_in_group'
  | 'bot_cannot_approve'
  | 'stale_digest'
  | 'reason_required';

/** A vote may also be refused before the row is asked. */
export type VoteRefusal = Refusal | 'unknown_approval' | 'foreign_card';

export type Transition =
  | { readonly ok: true; readonly next: Approval }
  | { readonly ok: false; readonly refusal: Refusal };

/** Somebody who wants to vote, as the platform authenticated them. */
export interface Voter {
  readonly person: Person;
  readonly name: string;
  readonly isBot: boolean;
  /** Whether this person is in the group of the approval's current stage. */
  readonly inGroup: boolean;
}

export interface Ballot {
  readonly choice: 'approve' | 'reject';
  readonly reason?: string | undefined;
  /** Digest of the question that the person saw (D23). */
  readonly questionDigest: string;
  /** On an approval: what it is good for beyond this call. */
  readonly remember?: Vote['remember'];
  readonly via: Vote['via'];
}

export const samePerson = (a: Person, b: Person): boolean => a.team === b.team && a.user === b.user;

/** Whether an approval waits for nobody any more. */
export const isTerminal = (status: ApprovalStatus): boolean => status !== 'pending';

/** One person's vote (G19, G20). `now` in milliseconds; a vote at the very end of the wait is late. */
export function castVote(row: Approval, voter: Voter, ballot: Ballot, now: number): Transition {
  const refusal = refusalOf(row, voter, ballot, now);
  if (refusal) return { ok: false, refusal };
  const at = new Date(now).toISOString();
  const vote: Vote = {
    by: voter.person,
    name: voter.name,
    choice: ballot.choice,
    ...(ballot.reason ? { reason: ballot.reason } : {}),
    ...(ballot.choice === 'approve' && ballot.remember ? { remember: ballot.remember } : {}),
    at,
    via: ballot.via,
  };
  const votes = [...row.votes, vote];
  const status = tally(row, votes);
  const next: Approval = { ...row, votes, status, version: row.version + 1 };
  return { ok: true, next: isTerminal(status) ? { ...next, endedAt: at } : next };
}

/** Nobody answered in time (G21). */
export function expire(row: Approval, now: number): Transition {
  if (isTerminal(row.status)) return { ok: false, refusal: 'already_decided' };
  if (now < Date.parse(row.expiresAt)) return { ok: false, refusal: 'not_yet_expired' };
  return { ok: true, next: ended(row, 'expired', now) };
}

/** The agent withdrew its proposal. */
export function cancel(row: Approval, now: number): Transition {
  if (isTerminal(row.status)) return { ok: false, refusal: 'already_decided' };
  return { ok: true, next: ended(row, 'cancelled', now) };
}

function ended(row: Approval, status: ApprovalStatus, now: number): Approval {
  return { ...row, status, version: row.version + 1, endedAt: new Date(now).toISOString() };
}

function refusalOf(row: Approval, voter: Voter, ballot: Ballot, now: number): Refusal | undefined {
  if (row.status === 'expired') return 'expired';
  if (isTerminal(row.status)) return 'already_decided';
  if (now >= Date.parse(row.expiresAt)) return 'expired';
  if (ballot.questionDigest !== row.question.digest) return 'stale_digest';
  if (voter.isBot) return 'bot_cannot_approve';
  if (samePerson(voter.person, row.owner)) return 'owner_cannot_approve';
  if (!voter.inGroup) return 'not_in_group';
  if (row.votes.some((vote) => samePerson(vote.by, voter.person))) return 'already_voted';
  if (ballot.choice === 'reject' && !ballot.reason?.trim()) return 'reason_required';
  return undefined;
}

/** Any rejection ends it; otherwise it ends when as many people as the stage's quorum approved. */
function tally(row: Approval, votes: readonly Vote[]): ApprovalStatus {
  if (votes.some((vote) => vote.choice === 'reject')) return 'rejected';
  const quorum = row.question.stages[0]?.quorum ?? Number.POSITIVE_INFINITY;
  return votes.length >= quorum ? 'approved' : 'pending';
}
