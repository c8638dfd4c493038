/**
 * Runs the contract of the stores on AWS's DynamoDB Local, as CI does after `npm test`.
 *
 * A machine that cannot have its parts (Java 17, Maven), or on which it does not start, says so in one line and goes
 * on; nothing but a test that fails is a failure.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { EndpointError } from '../endpoint/errors.ts';
import { startDynamoLocal } from './start.ts';

const say = (line: string): void => console.log(`── dynamodb-local: ${line}`);

async function starts(): Promise<boolean> {
  try {
    await (await startDynamoLocal(process.env, say)).stop();
    return true;
  } catch (error) {
    const ofTheMachine = error instanceof EndpointError || (error instanceof Error && 'errno' in error);
    if (!ofTheMachine) throw error;
    say(`NOT RUN, it cannot be had here: ${error.message.split('\n', 1)[0]}`);
    return false;
  }
}

if (await starts()) {
  const began = performance.now();
  const vitest = join('node_modules', '.bin', 'vitest');
  const { status } = spawnSync(vitest, ['run', '--project', 'dynamodb-local'], { stdio: 'inherit' });
  const lasted = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  say(status === 0 ? `passed in ${lasted}` : `FAILED in ${lasted}`);
  process.exitCode = status === 0 ? 0 : 1;
}
