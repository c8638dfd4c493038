/**
 * Runs the end-to-end tests, and those of LocalStack itself, on it, as CI does after `npm test`.
 *
 * Tests that are most worth the time come first. A machine that cannot have the parts of LocalStack (Python 3.13, Java
 * 17, Maven), or on which it does not start, says so in one line and goes on; nothing but a test that fails is a
 * failure. With `--prepare` it only fetches the parts.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { EndpointError } from '../../../shared/dev/aws/errors.ts';
import { startEndpoint } from '../endpoint/start-endpoint.ts';
import { DIFFERENCES } from './differences.ts';
import { prepareLocalStack } from './start.ts';

/** No test begins after this time; */
const SECONDS = Number(process.env['COUNTERSIGN_LOCALSTACK_SECONDS'] || 900);
/** and what has begun is given this long, and then stopped. */
const GRACE_SECONDS = 90;
const KILL_SECONDS = 10;
const STOPPED = 128 + constants.signals.SIGTERM;
const REPORT = join('.cache', 'reports', 'localstack.json');
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

/** Whether a test failed. */
async function failed(began: number): Promise<boolean> {
  rmSync(REPORT, { force: true });
  // Once more, since a click has Slack's three seconds, which a cold function misses on a machine that is busy.
  const args = ['run', '--project', 'e2e', '--project', 'localstack', '--retry=1'];
  say(`vitest ${args.join(' ')}, no test begins after ${SECONDS} s`);
  const until = String(began + SECONDS * 1000);
  const child = spawn(join('node_modules', '.bin', 'vitest'), args, {
    env: { ...env, COUNTERSIGN_TESTS_UNTIL: until, COUNTERSIGN_REPORT: REPORT },
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own, so that what its tests started is ended with it.
    detached: true,
  });
  const end = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-Number(child.pid), signal);
    } catch {
      // ESRCH: it has ended.
    }
  };
  const stop = (): void => {
    end('SIGTERM');
    setTimeout(() => end('SIGKILL'), KILL_SECONDS * 1000).unref();
  };
  const tooLong = setTimeout(stop, began + (SECONDS + GRACE_SECONDS) * 1000 - Date.now());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(tooLong);
  end('SIGKILL');
  const lasted = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  if (!existsSync(REPORT)) {
    const stopped = code === null || code === STOPPED;
    say(
      stopped ? `stopped after ${lasted}, and no test had failed` : `failed or ended without a report, after ${lasted}`,
    );
    return !stopped;
  }
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(REPORT, 'utf8')) as Counts;
  const left = `${numPendingTests} not run, each named above with its reason (${DIFFERENCES.length} differences are listed)`;
  say(`${numPassedTests} passed, ${numFailedTests} failed, ${left}, in ${lasted}`);
  return numFailedTests > 0 || code !== 0;
}

interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

if ((await prepared()) && !process.argv.includes('--prepare')) {
  const began = Date.now();
  if ((await starts()) && (await failed(began))) process.exitCode = 1;
}
