/** Fetches packages that only tests of the package need, once, into a folder that git ignores. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './project.ts';

const FETCH_TIMEOUT_MS = 60_000;

/** The folder `node_modules` that holds the package; the package is not in it where the registry cannot be reached. */
export async function fetched(name: string, version: string): Promise<string> {
  const folder = join(ROOT, '.cache', `${name}-${version}`);
  const modules = join(folder, 'node_modules');
  if (existsSync(join(modules, name))) return modules;
  mkdirSync(folder, { recursive: true });
  const install = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`];
  await Promise.race([
    run(folder, 'npm', install),
    new Promise((resolve) => setTimeout(resolve, FETCH_TIMEOUT_MS).unref()),
  ]);
  return modules;
}
