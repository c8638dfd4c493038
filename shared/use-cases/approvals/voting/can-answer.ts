/**
 * Tells whether somebody can still answer a question.
 *
 * Cards mention exactly the people who find the question in their inbox.
 */
import type { Approval, Person } from '../../../contract/index.ts';
import { type Ballot, callsOf, castVote, openTo, samePerson, type Voter } from '../../../domain/approval/approval.ts';

/** Tries a rejection, which every question offers, without recording it. For a batch, it is about the calls that are still open to the person. */
export function canAnswer(approval: Approval, voter: Voter, now: number): boolean {
  const answer = { questionDigest: approval.question.digest, via: 'slack', reason: 'asked' } as const;
  const open = callsOf(approval.question).length > 1 ? openTo(approval, voter) : [];
  const calls = open.map((id) => ({ id, choice: 'reject', reason: 'asked' }) as const);
  const ballot: Ballot = calls.length ? { ...answer, choice: 'approve', calls } : { ...answer, choice: 'reject' };
  return castVote(approval, voter, ballot, now).ok;
}

/** Whether the person passed the question on, and it has not come back to them. */
export function hasPassed({ passed = [] }: Approval, person: Person): boolean {
  const last = passed.findLast(({ by, to }) => samePerson(by, person) || (to && samePerson(to, person)));
  return last !== undefined && samePerson(last.by, person);
}
