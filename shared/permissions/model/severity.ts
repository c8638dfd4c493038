/** Severities in order. High and critical need two people. */
import type { Severity } from './types.ts';

export const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical'];

export function maxSeverity(a: Severity | undefined, b: Severity | undefined): Severity | undefined {
  const rank = (severity: Severity | undefined) => (SEVERITIES as readonly unknown[]).indexOf(severity);
  return rank(a) > rank(b) ? a : b;
}
