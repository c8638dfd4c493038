/** Remembers which points were played, until a source changes. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type Fate = 'repaired' | 'failed' | 'missed';

/** Points of these sources that were played, by function. */
export interface Played {
  readonly digest: string;
  readonly fates: Record<string, Record<string, Fate>>;
  /** By function and point, the scenes that came by it; and the scenes that were played for their points, each with its function. */
  scenes: Record<string, readonly string[]>;
  seen: string[];
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
  return { digest, fates: {}, met: {}, scenes: {}, seen: [] };
}

export function remember(file: string, played: Played): void {
  mkdirSync(dirname(file), { recursive: true });
  // A run that is ended meanwhile leaves the whole of what was played before.
  writeFileSync(`${file}.new`, `${JSON.stringify(played, null, 1)}\n`);
  renameSync(`${file}.new`, file);
}
