/**
 * Runs the contract of the stores on AWS's DynamoDB Local, as CI does after `npm test`.
 *
 * A machine that cannot have its parts (Java 17, Maven), or on which it does not start, says so in one line and goes
 * on; nothing but a test that fails, or tests without an end, is a failure. With `--prepare` it only fetches the parts,
 * so that whoever limits that time never takes tests that hang for parts that are missing.
 */
import { join } from 'node:path';
import { EndpointError } from '../../../shared/dev/aws/errors.ts';
import { runToEnd } from '../../support/run-to-end.ts';
import { prepareDynamoLocal, startDynamoLocal } from './start.ts';

/** The tests take 20 s on a quiet machine. */
const MAX_TESTS_MS = 600_000;

const say = (line: string): void => console.log(`── dynamodb-local: ${line}`);

async function can(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    const ofTheMachine = error instanceof EndpointError || (error instanceof Error && 'errno' in error);
    if (!ofTheMachine) throw error;
    say(`NOT RUN, it cannot be had here: ${error.message.split('\n', 1)[0]}`);
    return false;
  }
}

if (process.argv.includes('--prepare')) {
  if (!(await can(() => prepareDynamoLocal(process.env, say)))) process.exitCode = 1;
} else if (await can(async () => (await startDynamoLocal(process.env, say)).stop())) {
  const began = performance.now();
  const vitest = join('node_modules', '.bin', 'vitest');
  const status = await runToEnd(vitest, ['run', '--project', 'dynamodb-local'], {
    stdio: 'inherit',
    timeout: MAX_TESTS_MS,
    killSignal: 'SIGKILL',
  });
  const lasted = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  say(
    status === 0 ? `passed in ${lasted}` : status === null ? `FAILED, no end after ${lasted}` : `FAILED in ${lasted}`,
  );
  process.exitCode = status === 0 ? 0 : 1;
}
