/** Orders severities, and tells which of them take two people. */
import type { Severity } from '../contract/primitives.ts';

export const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical'];

/** Two people approve such a call, no time-out does, and nobody approves an edit of their own. */
export const isHighSeverity = (severity: Severity | undefined): boolean =>
  severity === 'high' || severity === 'critical';
