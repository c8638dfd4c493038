/** Remembers which points were played, until a source changes. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';

export type Fate = 'repaired' | 'failed' | 'missed';

export interface KillRow {
  readonly verb: GateFunctionName;
  /** Awaits in its bundle, those that it can come to at all, those that a scene comes by, and those that were played, in this run or before. */
  readonly awaits: number;
  readonly reachable: number;
  readonly met: number;
  readonly fates: Readonly<Record<Fate, number>>;
  /** Points that it can come by and no scene does, by the reason. */
  readonly unmet: ReadonlyMap<string, readonly string[]>;
}

/** Points of these sources that were played, by function. */
export interface Played {
  readonly digest: string;
  readonly fates: Record<string, Record<string, Fate>>;
  /** By function and point, the scenes that came by it; and the scenes that were played for their points, each with its function. */
  scenes: Record<string, readonly string[]>;
  seen: string[];
  /** Points that only the first run of a process comes by, likewise. */
  ofStarts: readonly string[];
  /** Points that any run came by. */
  readonly met: Record<string, string[]>;
  /** Points within reach that no run has come by yet, by the reason, for whoever builds the next scene. */
  unmet?: Record<string, Readonly<Record<string, readonly string[]>>>;
}

export function playedBefore(file: string | undefined, digest: string): Played {
  if (file !== undefined && existsSync(file)) {
    const before = JSON.parse(readFileSync(file, 'utf8')) as Played;
    if (before.digest === digest) return before;
  }
  return { digest, fates: {}, met: {}, scenes: {}, seen: [], ofStarts: [] };
}

export function remember(file: string, played: Played): void {
  mkdirSync(dirname(file), { recursive: true });
  // A run that is ended meanwhile leaves the whole of what was played before.
  writeFileSync(`${file}.new`, `${JSON.stringify(played, null, 1)}\n`);
  renameSync(`${file}.new`, file);
}
