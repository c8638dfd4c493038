/** Tells until when a proposal may be answered otherwise than `expired`. */
import type { Proposal } from '../../contract/index.ts';
import type { BaseDependencies } from '../dependencies.ts';
import type { Incoming } from './message.ts';
import { MAX_ROUNDS } from './rate-limit.ts';

type Expiring = Pick<Proposal, 'expiresAt'>;

/** When the wait for people ends, in milliseconds: at the stated time, at most the policy's time-out after the first receipt. */
export function expiryOf(
  { expiresAt }: Expiring,
  firstSentAt: number,
  { policy }: Pick<BaseDependencies, 'policy'>,
): number {
  const latest = firstSentAt + policy.settings.approvals.timeout;
  return expiresAt === undefined ? latest : Math.min(latest, Date.parse(expiresAt));
}

/** Whether the proposal is answered `expired` now: its time is over, or it was deferred `MAX_ROUNDS` times (A12). */
export const isOver = (
  proposal: Expiring,
  { firstSentAt, rounds }: Pick<Incoming, 'firstSentAt' | 'rounds'>,
  now: number,
  deps: Pick<BaseDependencies, 'policy'>,
): boolean => now >= expiryOf(proposal, firstSentAt, deps) || rounds >= MAX_ROUNDS;
