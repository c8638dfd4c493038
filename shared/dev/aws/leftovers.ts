// Ends processes and removes files of this run, and of runs that could not end by themselves.
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './cache.ts';

const MAX_LOGS = 10;
const GRACE_MS = 3_000;

/** Prefix of a run's folder of files, by the process that owns it: outside the project, see `startMiniStack`. */
export const stateFolderPrefix = (pid: number) => join(tmpdir(), `countersign-endpoint-${pid}-`);

/** Ends the launcher, which ends its functions, and what is left of its process group. */
export async function stopGroup(child: ChildProcess, state: string): Promise<void> {
  child.ref();
  const gone = new Promise<void>((done) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) done();
    else child.once('exit', () => done());
  });
  child.stdin?.end();
  await Promise.race([gone, delay(GRACE_MS, undefined, { ref: false })]);
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // ESRCH: the group has ended by itself.
  }
  await gone;
  // Processes that were killed with it are gone a moment later.
  for (const until = Date.now() + GRACE_MS; groupIsThere(child.pid) && Date.now() < until; ) await delay(20);
  await rm(state, { recursive: true, force: true, maxRetries: 5 });
}

function groupIsThere(leader: number | undefined): boolean {
  try {
    return leader !== undefined && process.kill(-leader, 0);
  } catch {
    return false;
  }
}

/** Sorts by time, and ends with the process that reads it. */
export const logName = (startedAt: Date, port: string): string =>
  `${startedAt.toISOString().replaceAll(/[:.]/g, '-')}-${port}-${process.pid}.log`;

const readerOf = (name: string): number => Number(/Z-\d+-(\d+)\.log$/.exec(name)?.[1]);

/** Removes files of runs that were killed together with their launcher, and all but the newest logs, unless their reader is running. */
export async function removeOldRuns(cache: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number(/^countersign-endpoint-(\d+)-/.exec(name)?.[1]);
    // Another user's may not be removed, and is no concern of this run.
    if (owner && !isAlive(owner)) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
  const logs = join(cache, 'logs');
  const names = existsSync(logs) ? (await readdir(logs)).sort() : [];
  for (const name of names.slice(0, -MAX_LOGS))
    if (!(readerOf(name) && isAlive(readerOf(name)))) await rm(join(logs, name), { force: true });
}
