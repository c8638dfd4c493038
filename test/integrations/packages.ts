/** Installs the frameworks' packages of a folder, once for all who want them at the same time. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const LOOK_MS = 250;

/** Undefined if the packages are there, as the folder's lock file says. Otherwise they are installed first. */
export function whyNotInstalled(folder: string): string | undefined {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.countersign-lock');
  const isThere = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
  // The end-to-end tests and this suite run side by side, and `npm ci` removes what it finds.
  const turn = join(folder, '.installing');
  for (let waited = 0; !isThere() && !isTaken(turn); waited += LOOK_MS) {
    if (waited > INSTALL_TIMEOUT_MS) return `another run left ${turn} behind: remove it`;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  if (isThere()) return undefined;
  try {
    const { status, error, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'pipe'],
      encoding: 'utf8',
      timeout: INSTALL_TIMEOUT_MS,
    });
    if (status !== 0)
      return error?.message ?? stderr.split('\n').find((line) => line.includes('error')) ?? 'npm ci failed';
    writeFileSync(stamp, lock);
    return undefined;
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

/** One process at a time makes the folder. */
function isTaken(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
