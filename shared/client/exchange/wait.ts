/** Waits for a decision: reads the agent's own rows, often at first, then less. */
import type { Duration } from '../../domain/duration.ts';
import type { DecisionReader, ReadDecision } from '../../ports/agent-side.ts';
import type { Clock } from '../../ports/clock.ts';
import { NoDecisionError } from '../calls/errors.ts';
import { FailingReads } from './failing-reads.ts';

/** Milliseconds between reads: these first, then every five seconds, and every fifteen after ten minutes. */
const FIRST = [60, 120, 250, 500, 1_000] as const;
const LATER = 5_000;
const MUCH_LATER = 15_000;
const LONG_MS = 10 * 60_000;

interface Waiting {
  readonly reader: DecisionReader;
  readonly clock: Clock;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Between 0 and 1: spreads the reads of many waiting processes. */
  random(): number;
}

/** How long to wait. */
export interface WaitOptions {
  /**
   * Milliseconds, or a text such as `'5m'`. Default: for a decision until people can no longer answer, which is the proposal's `expiresAt` or 30
   * days, and some minutes; for a run of the gate until its permit has expired, and some minutes.
   */
  readonly timeout?: Duration | undefined;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The row to wait for: the claim, which says whether people are asked, or the one with the decision. */
export type Until = 'evaluated' | 'decided';

/** Where the decision may stand. */
interface Awaited {
  readonly agent: string;
  readonly proposalId: string;
  readonly pid: string;
  /** The key of the bytes that were sent: a gate that could read no id in them files its answer there. Undefined where another process sent them. */
  readonly unreadablePid?: string | undefined;
  /** Milliseconds after which the gate judges no more, or should have judged. Undefined: for as long as the wait lasts. */
  readonly judgedWithinMs?: number | undefined;
}

/**
 * Reads for half the price until the last time: a row that such a read misses is found by the next one.
 *
 * @throws NoDecisionError after the time-out; with the code `unanswered` if nothing is on record after `judgedWithinMs`; and with a `cause` if
 * the decisions could not be read at all or for two minutes, or may not be read. Throws the signal's reason if it aborts.
 */
export async function waitForRow(
  { agent, proposalId, pid, unreadablePid, judgedWithinMs }: Awaited,
  until: Until,
  timeout: number,
  signal: AbortSignal | undefined,
  { reader, clock, sleep, random }: Waiting,
): Promise<ReadDecision> {
  const began = clock.now();
  const failing = new FailingReads(clock);
  let isAsked = false;
  for (let read = 0; ; read++) {
    signal?.throwIfAborted();
    const longest = isAsked ? timeout : Math.min(timeout, judgedWithinMs ?? timeout);
    const isLast = clock.now() - began >= longest;
    try {
      // A claim that asks people is followed by the decided row; until there is a claim, only the claim is looked for.
      const elsewhere = isAsked || read < FIRST.length ? undefined : unreadablePid;
      const pids = [pid, elsewhere];
      const row = await rowOf(agent, pids, isAsked ? 'decided' : 'evaluated', isLast ? 'latest' : 'likely', reader);
      failing.succeeded();
      if (row && isEnd(row, until)) return row;
      if (!isAsked && row?.verdict === 'ask') {
        isAsked = true;
        continue;
      }
    } catch (cause) {
      if (failing.areInVain(cause, isLast)) throw new NoDecisionError(proposalId, { cause });
    }
    if (isLast) throw new NoDecisionError(proposalId, { isUnanswered: longest < timeout, isAsked });
    const waited = clock.now() - began;
    const pause = pauseAfter(read, waited) * (0.8 + 0.4 * random());
    await sleep(Math.max(0, Math.min(pause, longest - waited)), signal);
  }
}

const pauseAfter = (read: number, waited: number): number => FIRST[read] ?? (waited < LONG_MS ? LATER : MUCH_LATER);

async function rowOf(
  agent: string,
  pids: readonly (string | undefined)[],
  sort: Until,
  read: 'latest' | 'likely',
  reader: DecisionReader,
): Promise<ReadDecision | undefined> {
  for (const pid of pids) {
    const row = pid === undefined ? undefined : await reader.read(agent, pid, sort, read);
    if (row) return row;
  }
  return undefined;
}

const isEnd = ({ decision, verdict }: ReadDecision, until: Until): boolean =>
  decision !== undefined || (until === 'evaluated' && verdict === 'ask');
