// Shares things that are made once between later runs, of several processes at once.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';

const MARKER = 'complete';

/** `COUNTERSIGN_CACHE`, or `.cache` of the repository, which git ignores; of an installed package, the user's own cache. */
export function cacheDirectory(env: Record<string, string | undefined> = process.env): string {
  const root = packageRoot();
  const isInstalled = root.split(sep).includes('node_modules');
  const home = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'countersign');
  return join(resolve(env.COUNTERSIGN_CACHE || (isInstalled ? home : join(root, '.cache'))), 'endpoint');
}

/** Whether it is there, and whole. */
export const isCached = (cache: string, name: string): boolean => existsSync(join(cache, name, MARKER));

/**
 * The folder `name` of the cache, made by `make` if it is not there or was not finished. `make` works in another folder. The marker is
 * written last, and the folder is then renamed into place: no later run takes the rest of a run that died for the whole. Of two runs that make it
 * at once one wins, and both use its folder.
 */
export async function cachedDirectory(
  cache: string,
  name: string,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const final = join(cache, name);
  if (isCached(cache, name)) return final;
  await mkdir(cache, { recursive: true });
  await removeLeftovers(cache, name);
  const partial = await mkdtemp(join(cache, `${name}.partial-${process.pid}-`));
  try {
    await make(partial);
    await writeFile(join(partial, MARKER), '');
    await putInPlace(partial, cache, name);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if (!isCached(cache, name)) throw error;
  }
  return final;
}

/** A folder that is not whole is moved away before it is deleted: one that another run finishes meanwhile is put back. */
async function putInPlace(partial: string, cache: string, name: string): Promise<void> {
  const final = join(cache, name);
  const away = `${partial}away`;
  for (;;) {
    const error = await rename(partial, final).catch((fault: NodeJS.ErrnoException) => fault);
    if (!error) return;
    if (isCached(cache, name)) return rm(partial, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rename(final, away).catch((fault: NodeJS.ErrnoException) => {
      // Another run was faster.
      if (fault.code !== 'ENOENT') throw fault;
    });
    if (existsSync(join(away, MARKER))) await rename(away, final).catch(() => undefined);
    await rm(away, { recursive: true, force: true });
  }
}

async function removeLeftovers(cache: string, name: string): Promise<void> {
  for (const entry of await readdir(cache)) {
    const owner = entry.startsWith(`${name}.partial-`) && Number(entry.split('-').at(-2));
    if (owner && owner !== process.pid && !isAlive(owner))
      await rm(join(cache, entry), { recursive: true, force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
