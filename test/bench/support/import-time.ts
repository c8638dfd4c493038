/**
 * Measures how long a fresh process takes to import modules one after another.
 *
 * The time is the part of a cold start that the bundle causes.
 */
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ENV } from '../../../functions/runtime/env.ts';
import { REDRIVEN_QUEUES } from '../../../shared/contract/redrive.ts';

const PROGRAM = `
  const began = performance.now();
  for (const url of process.argv.slice(1)) await import(url);
  process.stdout.write('\\n' + (performance.now() - began), () => process.exit(0));`;

/** Every variable that a function reads when it is loaded, with a value that it takes. */
export const environment = Object.fromEntries(
  Object.values(ENV).flatMap(({ shape }) => Object.keys(shape).map((name) => [name, placeholderFor(name)])),
);

/** Milliseconds of each run, Node's own start not counted. */
export async function importTimes(files: readonly string[], runs: number): Promise<number[]> {
  const urls = files.map((file) => pathToFileURL(file).href);
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', PROGRAM, '--', ...urls],
      { env: { PATH: process.env['PATH'], AWS_REGION: 'us-east-1', ...environment } },
    );
    samples.push(Number(stdout.trim().split('\n').at(-1)));
  }
  return samples;
}

function placeholderFor(name: string): string {
  const address = { live: 'https://localhost/', dead: 'https://localhost/' };
  if (name === 'QUEUES') return JSON.stringify(Object.fromEntries(REDRIVEN_QUEUES.map((queue) => [queue, address])));
  if (name === 'ACCOUNTS_ALLOWED') return 'loopback';
  return name.endsWith('_URL') ? 'https://localhost/' : 'bench';
}
