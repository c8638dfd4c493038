/** Holds every sentence of a card that lists several calls, for review and translation. */
import type { Severity } from '../../../contract/index.ts';

const calls = (n: number): string => `${n} ${n === 1 ? 'call' : 'calls'}`;

export const LIST = {
  wants: (agent: string, n: number) => `${agent} wants to run ${n} more ${n === 1 ? 'call' : 'calls'}`,
  decided: (agent: string, n: number) => `Nothing waits any more: ${calls(n)} of ${agent}`,
  each: 'each is read and decided by itself',
  read: 'Read…',
  readLabel: (name: string, agent: string) => `Read, then decide ${name} of ${agent}`,
  severity: { low: 'low', medium: 'medium', high: 'high', critical: 'critical' } satisfies Record<Severity, string>,
  ofSeverity: (severity: string) => `${severity} severity`,
  waitsFor: (group: string) => `Waits for ${group}`,
  calls,
  unreadable: 'Cannot be shown any more: the record has how it ended',
  unread: 'Cannot be shown at the moment, and comes back by itself',
  push: {
    each: 'Each is decided by itself',
    first: (time: string) => `, the first until ${time}`,
  },
} as const;
