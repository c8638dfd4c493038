/** Makes every observation of one endpoint, side by side. */
import type { Endpoint } from '../endpoint/index.ts';
import { OBSERVATIONS } from './observations.ts';
import { worldOf } from './world.ts';

/** By operation; an observation that could not be made says why instead. */
export async function observe(endpoint: Endpoint): Promise<Record<string, string>> {
  const world = await worldOf(endpoint);
  const seen = await Promise.all(
    OBSERVATIONS.map(async ({ operation, look }) => [
      operation,
      await look(world).catch((error: Error) => `not to be seen: ${error.message}`),
    ]),
  );
  return Object.fromEntries(seen) as Record<string, string>;
}
