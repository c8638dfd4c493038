/**
 * Tells whether somebody can still answer a question.
 *
 * Cards mention exactly the people who find the question in their inbox.
 */
import type { Approval, Person } from '../../../contract/index.ts';
import { type Ballot, callsOf, castVote, openTo, samePerson, type Voter } from '../../../domain/approval/approval.ts';

/** Judges as the vote itself would be judged: of a batch, a vote on the calls that are still open to them. */
export function canAnswer(approval: Approval, voter: Voter, now: number): boolean {
  const answer = { questionDigest: approval.question.digest, via: 'slack', reason: 'asked' } as const;
  const open = callsOf(approval.question).length > 1 ? openTo(approval, voter) : [];
  const calls = open.map((id) => ({ id, choice: 'reject', reason: 'asked' }) as const);
  const ballot: Ballot = calls.length ? { ...answer, choice: 'approve', calls } : { ...answer, choice: 'reject' };
  return castVote(approval, voter, ballot, now).ok;
}

/** Somebody who passed it on is asked no more, unless it came back to them. */
export function hasPassed({ passed = [] }: Approval, person: Person): boolean {
  const last = passed.findLast(({ by, to }) => samePerson(by, person) || (to && samePerson(to, person)));
  return last !== undefined && samePerson(last.by, person);
}
