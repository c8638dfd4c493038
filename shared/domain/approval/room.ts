/** Bounds the answers that a row holds: one with more could not be written, or not read again. Pure. */
import { LIMITS } from '../../contract/bounds.ts';
import type { Approval, Vote } from '../../contract/index.ts';

/** Answers about single calls leave room for those who answer about all. */
const MAX_PARTIAL = LIMITS.votes - 20;
/** Question and votes together. An item of DynamoDB has 400 KB, for the decision, too, in which a reason of each call stands again. */
const MAX_BYTES = 320_000;
/** Somebody may still answer about all calls with a long reason, which each of them holds. */
const MAX_PARTIAL_BYTES = 260_000;
const MAX_PASSED = 50;

/** `isPart`: whether the vote is about some of the open calls alone. The first vote always has room. */
export function hasRoomFor({ question, votes }: Approval, vote: Vote, isPart: () => boolean): boolean {
  if (!votes.length) return true;
  const bytes = Buffer.byteLength(JSON.stringify([question, votes, vote]));
  const fits = (most: number, mostBytes: number) => votes.length < most && bytes <= mostBytes;
  return fits(MAX_PARTIAL, MAX_PARTIAL_BYTES) || (fits(LIMITS.votes, MAX_BYTES) && !isPart());
}

type Passed = NonNullable<Approval['passed']>;

/**
 * With one more "not me", in place of the oldest that gave no seat away: nobody loses a seat. Undefined where each gave
 * one.
 */
export function withPassed(others: Passed, passed: Passed[number]): Passed | undefined {
  if (others.length < MAX_PASSED) return [...others, passed];
  const oldest = others.findIndex(({ to }) => to === undefined);
  return oldest < 0 ? undefined : [...others.filter((_, index) => index !== oldest), passed];
}
