/** Compares severities of the rules that match a call. */
import { SEVERITIES } from '../../domain/severity.ts';
import type { Severity } from './types.ts';

export function maxSeverity(a: Severity | undefined, b: Severity | undefined): Severity | undefined {
  const rank = (severity: Severity | undefined) => (SEVERITIES as readonly unknown[]).indexOf(severity);
  return rank(a) > rank(b) ? a : b;
}
