/** Declares the findings of `countersign doctor`, each with the command that mends it. */

/** `skipped`: this process lacks a setting or a right that only this check needs. */
type Health = 'ok' | 'warning' | 'wrong' | 'skipped';

export interface DoctorFinding {
  readonly check: string;
  readonly health: Health;
  /** A sentence without its full stop. */
  readonly found: string;
  /** The command that mends it, or the first step. */
  readonly mend?: string;
}

export const ok = (check: string, found: string): DoctorFinding => ({ check, health: 'ok', found });
export const warning = (check: string, found: string, mend: string): DoctorFinding => ({
  check,
  health: 'warning',
  found,
  mend,
});
export const wrong = (check: string, found: string, mend: string): DoctorFinding => ({
  check,
  health: 'wrong',
  found,
  mend,
});
export const skipped = (check: string, found: string, mend: string): DoctorFinding => ({
  check,
  health: 'skipped',
  found,
  mend,
});
