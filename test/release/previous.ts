/**
 * Lays out the previous release beside this one, from the history of this repository.
 *
 * The functions of the previous release are bundled there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
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
      // The release's own lock file names nearly the same packages.
      symlinkSync(join(ROOT, 'node_modules'), join(made, 'node_modules'));
      fetchDropped(made);
      renameSync(made, folder);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
  execFileSync(process.execPath, ['cdk/bundle.ts'], { cwd: folder, stdio: 'inherit' });
  return folder;
}

/** Fetches the packages that this release has no longer, beside the folder: Node and esbuild look there last. */
function fetchDropped(folder: string): void {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(text) as Record<string, Record<string, string>>;
  const dropped = Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name]) => !existsSync(join(ROOT, 'node_modules', name)))
    .map(([name, version]) => `${name}@${version}`);
  // Without the prefix npm would go up to the package of this clone, and change what it has installed.
  const options = ['--prefix', join(folder, '..'), '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit'];
  if (dropped.length) execFileSync('npm', ['install', ...options, ...dropped], { stdio: 'inherit' });
}
