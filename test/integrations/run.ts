/**
 * Runs every adapter against its framework's own package: `npm run test:integrations`.
 *
 * Installs the packages first, apart from the repository's own, and names the tests that could not run. Arguments go
 * to vitest.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..', '..');
const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** The packages by their folders: large ones are apart, so that the others run without them. */
const FOLDERS = [HERE, join(HERE, 'heavy')];

/** Why the packages of a folder are not there; undefined if they are. */
function installed(folder: string): string | undefined {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.countersign-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return undefined;
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
}

function run(program: string, args: readonly string[]): boolean {
  const file = join(ROOT, 'node_modules', '.bin', program);
  return spawnSync(file, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

const tests = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => relative(ROOT, join(folder, name)));

const missing = new Map<string, string>();
for (const folder of FOLDERS) {
  const reason = installed(folder);
  if (reason !== undefined) missing.set(folder, reason);
}
const ready = FOLDERS.filter((folder) => !missing.has(folder));
let ok = true;
if (ready.length) {
  // The types of the adapters fit those of the frameworks.
  for (const folder of ready) ok = run('tsc', ['--noEmit', '-p', folder]) && ok;
  ok = run('vitest', ['run', '--project', 'integrations', ...process.argv.slice(2), ...ready.flatMap(tests)]) && ok;
}
for (const [folder, reason] of missing)
  console.log(
    `── integrations: NOT RUN (${reason}):\n${tests(folder)
      .map((file) => `  ${file}`)
      .join('\n')}`,
  );
process.exit(ok ? 0 : 1);
