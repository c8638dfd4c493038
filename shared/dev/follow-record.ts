/** Tells each decision of a gate as a line, from the record that auditors read. */
import type { Clock } from '../ports/clock.ts';
import { type AuditLog, type AuditRecord, positionOf } from '../ports/stores/audit-log.ts';
import { sleepBy, type Timers } from '../ports/timers.ts';
import { decisionLine, type LineNames } from './proposal-lines.ts';

export interface FollowOptions {
  readonly log: Pick<AuditLog, 'find'>;
  /** The agents of the policy file at that time, whose records are followed. */
  readonly agents: () => readonly string[];
  /** The names of the policy file at that time. */
  readonly names: () => LineNames;
  readonly tell: (line: string) => void;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Milliseconds between two looks. */
const LOOK_MS = 1_000;
/** An entry states when it was decided, and is there a little later: a look goes back as far. */
const LATE_MS = 20_000;
const PAGE = 100;

/** Tells what is decided from now on. @returns a function that ends it, once the look that is under way has ended */
export function followRecord({ log, agents, names, tell, clock, timers }: FollowOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const begun = clock.now();
  /** Ids of the entries that were told, with their times, as far back as a look goes. */
  let told = new Map<string, string>();
  let isUnread = false;

  const look = async () => {
    const since = new Date(Math.max(begun, clock.now() - LATE_MS)).toISOString();
    const found = await newestFirst(log, agents(), since, signal);
    if (signal.aborted) return;
    for (const record of found.toReversed()) {
      const { id, at } = positionOf(record);
      const line = told.has(id) ? undefined : decisionLine(record, names());
      told.set(id, at);
      if (line !== undefined) tell(line);
    }
    told = new Map([...told].filter(([, at]) => at >= since));
  };
  const looks = (async () => {
    while (!signal.aborted) {
      try {
        await look();
        isUnread = false;
      } catch (error) {
        if (!isUnread && !signal.aborted)
          tell(`the record cannot be read now: ${error instanceof Error ? error.message : String(error)}`);
        isUnread = true;
      }
      await sleepBy(timers.after)(LOOK_MS, signal);
    }
  })();
  return () => {
    stopping.abort();
    return looks;
  };
}

async function newestFirst(
  log: FollowOptions['log'],
  agents: readonly string[],
  since: string,
  signal: AbortSignal,
): Promise<readonly AuditRecord[]> {
  const found: AuditRecord[] = [];
  let after: string | undefined;
  do {
    const page = await log.find({ agents, since, limit: PAGE, after });
    found.push(...page.records);
    after = page.next;
  } while (after !== undefined && !signal.aborted);
  return found;
}
