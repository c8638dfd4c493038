/**
 * Runs every benchmark of this folder, or the named ones: `npm run bench [name…]`.
 *
 * Each has a process of its own, one after another. Benchmarks print figures beside their aims and assert nothing; the
 * exit code tells only whether a benchmark broke.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runToEnd } from '../support/run-to-end.ts';

const folder = import.meta.dirname;
const all = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .map((file) => basename(file, '.ts'))
  .toSorted();
const wanted = process.argv.slice(2);
if (wanted.includes('--help') || wanted.includes('-h')) {
  console.log(`npm run bench [name…]\n\nRuns the benchmarks that are named, or all: ${all.join(', ')}.`);
  process.exit(0);
}
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length) {
  console.error(`no benchmark is named ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(2);
}

const broken: string[] = [];
for (const name of wanted.length ? wanted : all) {
  console.log(`\n== ${name} ==`);
  const began = performance.now();
  if (!(await runs(join(folder, `${name}.ts`)))) broken.push(name);
  console.log(`\n(${name}: ${((performance.now() - began) / 1000).toFixed(1)} s)`);
}
if (broken.length) console.error(`\nbroken: ${broken.join(', ')}`);
process.exitCode = broken.length ? 1 : 0;

/** The child stops what it started. */
async function runs(file: string): Promise<boolean> {
  return (await runToEnd(process.execPath, [...process.execArgv, file], { stdio: 'inherit' })) === 0;
}
