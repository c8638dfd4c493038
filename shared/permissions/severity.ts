/** Severities in order (D16). High and critical need two people. */
import type { Severity } from './types.ts';

export const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical'];

export function maxSeverity(a: Severity | undefined, b: Severity | undefined): Severity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return SEVERITIES.indexOf(a) >= SEVERITIES.indexOf(b) ? a : b;
}
