/**
 * Runs every adapter against its framework's own package: `npm run test:integrations`.
 *
 * Installs the packages first, apart from the repository's own, and names the tests that could not run. Arguments go
 * to vitest.
 */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runToEnd } from '../support/run-to-end.ts';
import { whyNotInstalled } from './packages.ts';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..', '..');

/** The packages by their folders: large ones are apart, so that the others run without them. */
const FOLDERS = [HERE, join(HERE, 'heavy')];

async function run(program: string, args: readonly string[]): Promise<boolean> {
  const file = join(ROOT, 'node_modules', '.bin', program);
  return (await runToEnd(file, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })) === 0;
}

const tests = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => relative(ROOT, join(folder, name)));

const missing = new Map<string, string>();
for (const folder of FOLDERS) {
  const reason = await whyNotInstalled(folder);
  if (reason !== undefined) missing.set(folder, reason);
}
const ready = FOLDERS.filter((folder) => !missing.has(folder));
const args = ['run', '--project', 'integrations', ...process.argv.slice(2), ...ready.flatMap(tests)];
const ok = ready.length === 0 || (await run('vitest', args));
for (const [folder, reason] of missing)
  console.log(
    `── integrations: NOT RUN (${reason}):\n${tests(folder)
      .map((file) => `  ${file}`)
      .join('\n')}`,
  );
process.exit(ok ? 0 : 1);
