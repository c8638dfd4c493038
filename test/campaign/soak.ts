/** Keeps the gate busy for minutes, and watches memory, queues and dead letters. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { stateFolderPrefix } from '../../shared/dev/aws/leftovers.ts';
import type { CampaignGate } from './gate.ts';
import { countLasting, type Loaded, load } from './load.ts';
import { depths } from './record.ts';

const LOOK_MS = 5_000;
/** A rate that two cores carry beside other work. */
const PER_SECOND = 4;
const PAGE_BYTES = 4_096;

/** Memory of one function: the largest of its processes at a time, in megabytes. */
interface MemoryRow {
  readonly name: string;
  readonly processes: number;
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  readonly most: number;
}

interface QueueRow {
  readonly name: string;
  readonly mostMessages: number;
  /** For so long at most it was never seen empty: its oldest message is no older. */
  readonly ageS: number;
  readonly atEnd: number;
}

export interface Soaked extends Loaded {
  readonly memory: readonly MemoryRow[];
  readonly queues: readonly QueueRow[];
}

interface Look {
  readonly at: number;
  /** Megabytes of each process of a function. */
  readonly memory: ReadonlyMap<string, readonly number[]>;
  readonly queues: Awaited<ReturnType<typeof depths>>;
}

export async function soak(
  gate: CampaignGate,
  { seed, minutes }: { readonly seed: number; readonly minutes: number },
): Promise<Soaked> {
  const looks: Look[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      looks.push({ at: Date.now(), memory: memoryOfFunctions(), queues: await depths({ gate }) });
      await delay(LOOK_MS);
    }
  })();
  const lastsMs = minutes * 60_000;
  const count = countLasting(lastsMs, PER_SECOND);
  const until = Date.now() + lastsMs + 60_000;
  const loaded = await load(gate, { name: 'soak', seed, count, until, perSecond: PER_SECOND }).finally(() => {
    isOver = true;
  });
  await watching;
  return { ...loaded, memory: memoryRows(looks), queues: queueRows(looks) };
}

/** Processes of this run's endpoint: each is started from a folder with its function's name. */
function memoryOfFunctions(): ReadonlyMap<string, readonly number[]> {
  const prefix = stateFolderPrefix(process.pid);
  const found = new Map<string, number[]>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const name = command.includes(prefix) ? /Gate([A-Za-z]+)Function/.exec(command)?.[1] : undefined;
      if (name === undefined) continue;
      const resident = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
      found.set(name, [...(found.get(name) ?? []), (resident * PAGE_BYTES) / 1_000_000]);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return found;
}

function memoryRows(looks: readonly Look[]): MemoryRow[] {
  const names = [...new Set(looks.flatMap(({ memory }) => [...memory.keys()]))].sort();
  return names.map((name) => {
    const seen = looks.flatMap(({ memory }) => {
      const processes = memory.get(name);
      return processes ? [{ most: Math.max(...processes), count: processes.length }] : [];
    });
    const sizes = seen.map(({ most }) => most);
    return {
      name,
      processes: Math.max(...seen.map(({ count }) => count)),
      first: sizes[0] ?? 0,
      middle: sizes[Math.floor(sizes.length / 2)] ?? 0,
      last: sizes.at(-1) ?? 0,
      most: Math.max(...sizes),
    };
  });
}

function queueRows(looks: readonly Look[]): QueueRow[] {
  const names = [...(looks[0]?.queues.keys() ?? [])].sort();
  return names.map((name) => {
    let mostMessages = 0;
    let ageMs = 0;
    let emptyAt = looks[0]?.at ?? 0;
    let atEnd = 0;
    for (const { at, queues } of looks) {
      const { visible = 0, inFlight = 0, delayed = 0 } = queues.get(name) ?? {};
      atEnd = visible + inFlight + delayed;
      mostMessages = Math.max(mostMessages, atEnd);
      if (!atEnd) emptyAt = at;
      else ageMs = Math.max(ageMs, at - emptyAt);
    }
    return { name, mostMessages, ageS: Math.round(ageMs / 1_000), atEnd };
  });
}
