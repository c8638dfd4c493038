/** Bounds the answers that a row holds: one with more could not be read again. Pure. */
import { LIMITS } from '../../contract/bounds.ts';
import type { Approval } from '../../contract/index.ts';

/** Answers about single calls leave room for those who answer about all. */
const MAX_PARTIAL = LIMITS.votes - 20;
const MAX_PASSED = 50;

export const hasRoomForVote = (votes: number, isPart: () => boolean): boolean =>
  votes < MAX_PARTIAL || (votes < LIMITS.votes && !isPart());

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
