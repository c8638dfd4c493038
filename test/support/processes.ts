/** Finds the processes that another one has started, and whether they still run. */
import { readdirSync, readFileSync } from 'node:fs';

/** Every process that descends from `pid`, from the process table. */
export function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, after = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ');
        return [{ pid: Number(name), parent: Number(after.split(' ')[1]) }];
      } catch {
        return [];
      }
    });
  const found: number[] = [];
  for (let level = [pid]; level.length; ) {
    level = parents.filter(({ parent }) => level.includes(parent)).map((one) => one.pid);
    found.push(...level);
  }
  return found;
}

/** A process that has ended and waits for its parent does not run. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
