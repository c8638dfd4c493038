/** Tells when the reconciler looks at an approval, and which of two goes first. Pure. */
import type { Approval } from '../../contract/index.ts';
import { deadlineOf, nextStepAt } from './stage.ts';

const AFTER_EXPIRY_MS = 60_000;

/** When a row that waits, and whose cards stand, needs the reconciler next: for a reminder or an escalation, or to finish it. */
export const nextLookAt = (row: Approval): number => nextStepAt(row) ?? Date.parse(row.expiresAt) + AFTER_EXPIRY_MS;

/** Until then time has nothing to do to a row that nobody answers. */
export const quietUntil = (row: Approval): number =>
  Math.min(deadlineOf(row), nextStepAt(row) ?? Number.MAX_SAFE_INTEGER);

/**
 * Whether a due row may wait until others were repaired: nobody has answered it, and time has nothing to do to it, so that at most its card
 * is missing. A row that cannot be read waits too.
 */
export function isFirstLook(row: unknown, now: number): boolean {
  try {
    const approval = row as Approval;
    if (approval.status !== 'pending' || approval.version > 0) return false;
    return now < quietUntil(approval);
  } catch {
    return true;
  }
}
