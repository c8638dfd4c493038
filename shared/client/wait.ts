/** Waiting for a decision: reads the agent's own rows, often at first, then less (A13). Any number of processes may wait. */
import type { Decision } from '../contract/decision.ts';
import type { DecisionReader } from '../ports/agent-side.ts';
import type { Clock } from '../ports/clock.ts';
import { NoDecisionError } from './errors.ts';

/** Milliseconds between reads: these first, then every five seconds, and every fifteen after ten minutes. */
const FIRST = [60, 120, 250, 500, 1_000] as const;
const LATER = 5_000;
const MUCH_LATER = 15_000;
const LONG_MS = 10 * 60_000;

export interface Waiting {
  readonly reader: DecisionReader;
  readonly clock: Clock;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Between 0 and 1: spreads the reads of many waiting processes. */
  random(): number;
}

export interface WaitOptions {
  /** Milliseconds; default: for a decision as long as it takes, for a run of the gate until its permit has expired and minutes more. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws NoDecisionError after the time-out; the signal's reason if it aborts; what the reader throws if it cannot be read. */
export async function waitForDecision(
  agent: string,
  proposalId: string,
  pid: string,
  { timeout = Number.POSITIVE_INFINITY, signal }: WaitOptions,
  { reader, clock, sleep, random }: Waiting,
): Promise<Decision> {
  const began = clock.now();
  let asked = false;
  for (let read = 0; ; read++) {
    signal?.throwIfAborted();
    // A claim that asks people is followed by the decided row; until there is a claim, only the claim is looked for.
    const row = await reader.read(agent, pid, asked ? 'decided' : 'evaluated');
    if (row?.decision) return row.decision;
    if (!asked && row?.verdict === 'ask') {
      asked = true;
      continue;
    }
    const waited = clock.now() - began;
    const pause = (FIRST[read] ?? (waited < LONG_MS ? LATER : MUCH_LATER)) * (0.8 + 0.4 * random());
    if (waited >= timeout) throw new NoDecisionError(proposalId);
    await sleep(Math.min(pause, timeout - waited), signal);
  }
}
