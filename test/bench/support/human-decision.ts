/** Counts the SDK calls and units of one human decision on real tables. */
import { startEndpoint } from '../../local/endpoint/index.ts';
import { benchWorld } from './bench-world.ts';
import { decideByPeople } from './flows.ts';
import { decimals, note, printTable } from './print.ts';

const DECISIONS = 3;

export async function printHumanDecision(): Promise<void> {
  const endpoint = await startEndpoint();
  try {
    const world = await benchWorld(endpoint);
    world.meter.calls = [];
    for (let index = 0; index < DECISIONS; index++) await decideByPeople(world);
    const calls = world.meter.calls.filter(({ phase }) => phase !== 'agent');
    const each = (value: (call: (typeof calls)[number]) => number) =>
      decimals(calls.reduce((sum, call) => sum + value(call), 0) / DECISIONS);
    printTable(
      'A human decision, the gate and its record',
      ['', 'figure'],
      [
        ['SDK calls', each(() => 1)],
        ['write units', each(({ billed }) => billed.writes + billed.recordWrites)],
        ['read units', each(({ billed }) => billed.reads)],
      ],
    );
    note('Counted on the local endpoint by middleware, indexes included; `npm run bench -- cost` names each call.');
    world.close();
  } finally {
    await endpoint.stop();
  }
}
