/** Makes clients of a gate in memory, whose waits take no time. */
import { CountersignClient, type CountersignClientOptions } from '../../../../shared/client/index.ts';
import type { World } from '../../use-cases/world.ts';

export function clientIn(world: World, more: Partial<CountersignClientOptions> = {}): CountersignClient {
  const sleep = async (ms: number) => world.clock.advance(Math.max(1, Math.ceil(ms)));
  return new CountersignClient({
    queueUrl: '',
    auditTable: '',
    ...world.gate.agentSide('coder'),
    sleep,
    random: () => 0.5,
    ...more,
  });
}
