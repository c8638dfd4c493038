/** Leaves other agents a share of the runs that a function may have at once. */
import { MAX_DELIBERATIONS, MAX_EXECUTIONS } from '../config/schema/defaults.ts';
import { nothing, orElse } from '../domain/maybe-promise.ts';
import type { SlotStore } from '../ports/stores/guardrail-state.ts';

interface Share {
  /** Runs that are bounded together. */
  readonly of: 'executions' | 'deliberations';
  /** Runs of one agent at once: two fifths of what the function may have, so that two agents together leave a fifth. */
  readonly each: number;
  /** Longer than a run may take: a process that ended holds its part no longer. */
  readonly leaseMs: number;
}

export const EXECUTIONS_SHARE: Share = { of: 'executions', each: (MAX_EXECUTIONS * 2) / 5, leaseMs: 330_000 };
export const DELIBERATIONS_SHARE: Share = { of: 'deliberations', each: (MAX_DELIBERATIONS * 2) / 5, leaseMs: 90_000 };

interface Run {
  readonly agent: string;
  /** Names the run; taken twice, it counts once. */
  readonly messageId: string;
}

/** False: the agent has its share already, and nothing was worked. Rejects as `work` does, or if the state is down. */
export async function withinShare(
  { of, each, leaseMs }: Share,
  { agent, messageId: holder }: Run,
  slots: SlotStore,
  work: () => Promise<void>,
): Promise<boolean> {
  const taken = await slots.acquire({ key: `slots#share#${of}#${agent}`, limit: each, agent, holder, leaseMs });
  if (!taken.acquired) return false;
  try {
    await work();
  } finally {
    // A share that could not be given back is free when its lease ends.
    await orElse(() => slots.release(taken.lease), nothing);
  }
  return true;
}
