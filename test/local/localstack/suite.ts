/**
 * The end-to-end suite on LocalStack, as CI runs it after `npm test`: within its time, what is most worth it first. A machine that cannot
 * have its parts (Python 3.13, Java 17, Maven) says so in one line and goes on; nothing but a test that fails is a failure. With
 * `--prepare` it only fetches the parts.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EndpointUnavailable } from '../endpoint/errors.ts';
import { DIFFERENCES } from './differences.ts';
import { prepareLocalStack } from './start.ts';

/** No test begins after this time; */
const SECONDS = Number(process.env['COUNTERSIGN_LOCALSTACK_SECONDS'] || 300);
/** and what has begun is given this long. */
const GRACE_SECONDS = 120;
const REPORT = join('.cache', 'reports', 'localstack.json');
const env = { ...process.env, COUNTERSIGN_ENDPOINT: 'localstack', AWS_ENDPOINT_URL: '' };

async function prepared(): Promise<boolean> {
  try {
    await prepareLocalStack(env, (line) => console.log(`── localstack: ${line}`));
    return true;
  } catch (error) {
    if (!(error instanceof EndpointUnavailable)) throw error;
    console.log(`── localstack: NOT RUN, its parts are not to be had here: ${error.message}`);
    return false;
  }
}

/** The number of tests that failed. */
async function suite(): Promise<number> {
  const began = performance.now();
  const until = String(Date.now() + SECONDS * 1000);
  rmSync(REPORT, { force: true });
  // Once more, since a click has Slack's three seconds, which a cold function misses on a machine that is busy.
  const args = ['run', '--project', 'e2e', '--retry=1'];
  console.log(`\n── localstack: vitest ${args.join(' ')}, for ${SECONDS} s`);
  const child = spawn(join('node_modules', '.bin', 'vitest'), args, {
    env: { ...env, COUNTERSIGN_TESTS_UNTIL: until, COUNTERSIGN_REPORT: REPORT },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const tooLong = setTimeout(() => child.kill('SIGTERM'), (SECONDS + GRACE_SECONDS) * 1000);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(tooLong);
  const lasted = ((performance.now() - began) / 1000).toFixed(1);
  if (!existsSync(REPORT)) {
    const why =
      code === null ? 'was stopped before its end, which says nothing of its tests' : 'ended without a report';
    console.log(`── localstack: ${why}, after ${lasted} s`);
    return code === null ? 0 : 1;
  }
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(REPORT, 'utf8')) as Counts;
  const left = `${numPendingTests} not run, each named above with its reason (${DIFFERENCES.length} differences are listed)`;
  console.log(`── localstack: ${numPassedTests} passed, ${numFailedTests} failed, ${left}, in ${lasted} s`);
  return numFailedTests || (code ? 1 : 0);
}

interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const ready = await prepared();
if (ready && !process.argv.includes('--prepare')) process.exitCode = (await suite()) > 0 ? 1 : 0;
