/** Tells when the reconciler looks at an approval, and which of two goes first. Pure. */
import type { Approval } from '../../contract/index.ts';
import { nextCardLookAt } from './shown.ts';
import { deadlineOf, nextStepAt } from './stage.ts';

const AFTER_EXPIRY_MS = 60_000;

/** When time changes a waiting row next: by a reminder, an escalation, or its end. */
export const nextChangeAt = (row: Approval): number => nextStepAt(row) ?? Date.parse(row.expiresAt) + AFTER_EXPIRY_MS;

/** When the reconciler has to look next at a waiting row whose cards are posted: for a change by time, or at the cards. */
export function nextLookAt(row: Approval, now: number): number {
  const change = nextChangeAt(row);
  return Math.min(change, nextCardLookAt(row, now) ?? change);
}

/** The time until which a row without answers needs nothing: no reminder, escalation or end is due. */
export const quietUntil = (row: Approval): number =>
  Math.min(deadlineOf(row), nextStepAt(row) ?? Number.MAX_SAFE_INTEGER);

/**
 * Whether a due row may wait until others were repaired. Nobody has answered it and nothing is due, so that at most its card is missing. A row
 * that cannot be read waits too.
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
