/** Installs the frameworks' packages of a folder, once for all who want them at the same time. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../../shared/dev/aws/cache.ts';

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 5 * 60_000;
/** Another process's install, and then this one's own. */
const TURN_TIMEOUT_MS = 2 * INSTALL_TIMEOUT_MS;
const LOOK_MS = 250;

/** Undefined if the packages are there, as the folder's lock file says. Otherwise they are installed first. */
export async function whyNotInstalled(folder: string): Promise<string | undefined> {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.countersign-lock');
  const isThere = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
  if (isThere()) return undefined;
  // The end-to-end tests and this suite run side by side, and `npm ci` removes what it finds.
  const turn = join(folder, '.installing');
  for (let waited = 0; !hasTurn(turn); waited += LOOK_MS) {
    if (waited > TURN_TIMEOUT_MS) return 'another run installs them, and does not end';
    await pause(LOOK_MS);
  }
  try {
    if (isThere()) return undefined;
    const options = { cwd: folder, timeout: INSTALL_TIMEOUT_MS };
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
    writeFileSync(stamp, lock);
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return stderr?.split('\n').find((line) => line.includes('error')) ?? message;
  } finally {
    rmSync(turn, { force: true });
  }
}

/** One process at a time writes the file. A process that was killed left its own behind, and has no turn any more. */
function hasTurn(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = Number(readIfThere(file));
    if (owner > 0 && !isAlive(owner)) rmSync(file, { force: true });
    return false;
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
