/**
 * Runs the gate's main job on this machine: `npm run demo`.
 *
 * An agent proposes three calls; a rule allows one, a rule denies one, a person decides the third in a local Slack;
 * further scenes follow. `--yes`, or a shell without a person at it, clicks by itself and exits 0.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EndpointUnavailable } from '../../../shared/dev/aws/errors.ts';
import { type DemoOptions, HELP, readOptions } from './options.ts';
import { failure, heading, say } from './print.ts';
import type { WorldOptions } from './world.ts';

const aborted = new AbortController();
const stops: (() => Promise<void> | void)[] = [];
let stopping: Promise<void> | undefined;
const stopAll = (): Promise<void> => {
  stopping ??= (async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  })();
  return stopping;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    aborted.abort(new Error('stopped'));
    stopAll().finally(() => process.exit(130));
  });
}

async function demo({ yes, tour, memory, policy, endpoint }: DemoOptions): Promise<void> {
  if (endpoint?.includes('://')) process.env['AWS_ENDPOINT_URL'] = endpoint;
  else if (endpoint) process.env['COUNTERSIGN_ENDPOINT'] = endpoint;
  const options = {
    byItself: yes || !process.stdin.isTTY || !process.stdout.isTTY,
    tour,
    signal: aborted.signal,
  };
  const place: WorldOptions = {
    policyFile: policy,
    signal: aborted.signal,
    onStop: (stop) => stops.push(stop),
  };
  mkdirSync(join('.cache', 'screenshots'), { recursive: true });
  const { show } = await import('./show.ts');
  heading('Countersign: an agent asks, rules and people decide.');
  // Each world is a second of modules; help and a wrong option need neither.
  const inMemory = async () => (await import('./in-memory.ts')).memoryWorld(place);
  if (memory) return show(await inMemory(), options);
  try {
    const { deployedWorld } = await import('./deployed.ts');
    return await show(await deployedWorld(place), options);
  } catch (error) {
    if (!(error instanceof EndpointUnavailable) || endpoint) throw error;
    failure(error.message);
    say('Going on with the same code on in-memory adapters.\n');
    return show(await inMemory(), options);
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await demo(options);
} catch (error) {
  if (aborted.signal.aborted) process.exitCode = 130;
  else {
    failure(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
} finally {
  await stopAll();
}
