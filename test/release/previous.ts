/**
 * Lays out the previous release beside this one, from the history of this repository.
 *
 * The packages that it names are installed there once, and then its functions are bundled.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** The release before this one; its rows are the data of `test/contract/releases/0.1.0.json` too. */
export const PREVIOUS = '2df48fc5cd7f71821236702e602af8608e42c655';

/** The folder of the previous release; undefined in a clone that does not reach so far back. */
export function previousRelease(): string | undefined {
  if (spawnSync('git', ['cat-file', '-e', `${PREVIOUS}^{commit}`], { cwd: ROOT }).status !== 0) return undefined;
  const folder = join(ROOT, '.cache', 'releases', PREVIOUS);
  if (!existsSync(folder)) {
    const made = `${folder}.${process.pid}`;
    mkdirSync(made, { recursive: true });
    try {
      const archive = execFileSync('git', ['archive', PREVIOUS], { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 });
      execFileSync('tar', ['-x', '-C', made], { input: archive });
      // By its own lock file: it imports packages that this release no longer has.
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: made, stdio: 'inherit' });
      renameSync(made, folder);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
  execFileSync(process.execPath, ['cdk/bundle.ts'], { cwd: folder, stdio: 'inherit' });
  return folder;
}
