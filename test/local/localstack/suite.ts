/**
 * Runs the end-to-end tests, and those of LocalStack itself, on it, as CI does after `npm test`.
 *
 * Tests that are most worth the time come first. A machine that cannot have the parts of LocalStack (Python 3.13, Java
 * 17, Maven), or on which it does not start, says so in one line and goes on; nothing but a test that fails twice, in
 * the run and alone after it, is a failure. With `--prepare` it only fetches the parts; names of files run those alone.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EndpointError } from '../../../shared/dev/aws/errors.ts';
import { startEndpoint } from '../endpoint/start-endpoint.ts';
import { argumentsFor, failuresOf, leftOutOf, type Outcome, outcomesIn, verdictOf } from './outcomes.ts';
import { prepareLocalStack } from './start.ts';

/** No test begins after this time; */
const SECONDS = Number(process.env['COUNTERSIGN_LOCALSTACK_SECONDS'] || 900);
/** and what has begun is given this long, and then stopped. */
const GRACE_SECONDS = 90;
const KILL_SECONDS = 10;
/** Failed tests run again for so long: a gate is deployed in a minute, and a test waits for two and a half at most. */
const AGAIN_SECONDS = 420;
const REPORT = join('.cache', 'reports', 'localstack.jsonl');
/** Files of the suite; all of them by default. */
const FILES = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const env = { ...process.env, COUNTERSIGN_ENDPOINT: 'localstack', AWS_ENDPOINT_URL: '' };
const say = (line: string): void => console.log(`── localstack: ${line}`);

/** Whether `step` ended well. Says in one line why this machine cannot do it; any other error is one of ours. */
async function can(step: () => Promise<unknown>, cannot: string): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    const ofTheMachine = error instanceof EndpointError || (error instanceof Error && 'errno' in error);
    if (!ofTheMachine) throw error;
    say(`NOT RUN, ${cannot}: ${error.message.split('\n', 1)[0]}`);
    return false;
  }
}

const prepared = () => can(() => prepareLocalStack(env, say), 'its parts are not to be had here');
const starts = () => can(async () => (await startEndpoint({ env })).stop(), 'it does not start here');

interface Ended {
  readonly code: number | null;
  /** By this program, whatever code came of it. */
  readonly isStopped: boolean;
  readonly outcomes: readonly Outcome[];
}

/** Runs vitest until it ends, or until the time is over; no test begins after `lastBegin`. */
async function vitest(args: readonly string[], lastBegin: number, end: number): Promise<Ended> {
  rmSync(REPORT, { force: true });
  mkdirSync(dirname(REPORT), { recursive: true });
  const all = ['run', '--project', 'e2e', '--project', 'localstack', ...args];
  const child = spawn(join('node_modules', '.bin', 'vitest'), all, {
    env: { ...env, COUNTERSIGN_TESTS_UNTIL: String(lastBegin), COUNTERSIGN_REPORT: REPORT },
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own, so that what its tests started is ended with it.
    detached: true,
  });
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-Number(child.pid), name);
    } catch {
      // ESRCH: it has ended.
    }
  };
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    signal('SIGTERM');
    setTimeout(() => signal('SIGKILL'), KILL_SECONDS * 1000).unref();
  };
  const tooLong = setTimeout(stop, end - Date.now());
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(tooLong);
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop);
  signal('SIGKILL');
  return { code, isStopped, outcomes: outcomesIn(REPORT) };
}

/** Whether a test failed, in the run and again alone. */
async function failed(began: number): Promise<boolean> {
  const end = began + SECONDS * 1000;
  say(`the end-to-end tests and its own, no test begins after ${SECONDS} s`);
  const first = await vitest(FILES, end, end + GRACE_SECONDS * 1000);
  const failures = failuresOf(first.outcomes);
  let again: readonly Outcome[] = [];
  if (failures.length) {
    say(`${failures.length} failed, and run again alone, for ${AGAIN_SECONDS} s at most`);
    const over = Date.now() + AGAIN_SECONDS * 1000;
    again = (await vitest(argumentsFor(failures), over, over)).outcomes;
  }
  const verdict = verdictOf(first.outcomes, again);
  const lasted = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  // An error outside of the tests, or a file that could not be read.
  const isBroken = !first.isStopped && first.code !== 0 && failures.length === 0;
  const left = leftOutOf(first.outcomes, first.isStopped);
  say(`${verdict.text}, ${left}${isBroken ? `, vitest ended with ${first.code}` : ''}, in ${lasted}`);
  return verdict.failed || isBroken;
}

if ((await prepared()) && !process.argv.includes('--prepare')) {
  const began = Date.now();
  if ((await starts()) && (await failed(began))) process.exitCode = 1;
}
