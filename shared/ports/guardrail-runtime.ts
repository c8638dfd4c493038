/** Declares time, chance, ids and waiting for guardrails, injected so that tests own all four. */
import type { Ending } from './ending.ts';

export interface GuardrailRuntime {
  /** Milliseconds since the epoch. In a deployment this is the store's clock, so that every process agrees. */
  readonly now: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Unique among all processes; names leases, probes and reservations. */
  readonly newId: () => string;
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
  readonly sleep: (ms: number, signal?: Ending) => Promise<void>;
}
