/**
 * Prints the SDK calls, bytes and price of a decision, on real tables.
 *
 * Middleware counts the calls; the price is that of a million decisions.
 */
import { startEndpoint } from '../local/endpoint/index.ts';
import { benchWorld } from './support/bench-world.ts';
import { printAutomatic, printHuman, printItems, printKinds, printPrices } from './support/calls-report.ts';
import { automaticCost, humanCost } from './support/cost.ts';
import { choose, decideAutomatically, decideByPeople } from './support/flows.ts';

const BATCHES_OF_10 = 6;
const BATCHES_OF_1 = 20;
const HUMAN = 3;

const endpoint = await startEndpoint();
try {
  const world = await benchWorld(endpoint);
  // The first batch finds no row of its limiter and no parser: it is not counted.
  await decideAutomatically(world, 10);
  const tens = await counted(world.meter, BATCHES_OF_10, () => decideAutomatically(world, 10));
  const ones = await counted(world.meter, BATCHES_OF_1, (index) => decideAutomatically(world, 1, index));
  const human = await counted(world.meter, HUMAN, () => decideByPeople(world));
  const chosen = await counted(world.meter, HUMAN, () => decideByPeople(world, choose));
  printAutomatic({ calls: tens, decisions: BATCHES_OF_10 * 10 }, { calls: ones, decisions: BATCHES_OF_1 });
  printHuman('A human decision', human, HUMAN);
  printHuman('An action-choice with one human', chosen, HUMAN);
  printItems('Automatic, alone', { calls: ones, decisions: BATCHES_OF_1 });
  printItems('A call that one person decides', { calls: human, decisions: HUMAN });
  const costOfTens = automaticCost(tens, BATCHES_OF_10 * 10, 10);
  const costOfOnes = automaticCost(ones, BATCHES_OF_1, 1);
  const costOfHuman = humanCost(human, HUMAN);
  printPrices(costOfTens, costOfOnes, costOfHuman);
  printKinds([
    { kind: 'automatic, in a batch of 10', calls: tens, decisions: BATCHES_OF_10 * 10, cost: costOfTens },
    { kind: 'automatic, alone', calls: ones, decisions: BATCHES_OF_1, cost: costOfOnes },
    { kind: 'a call that one person decides', calls: human, decisions: HUMAN, cost: costOfHuman },
    { kind: 'a choice that one person decides', calls: chosen, decisions: HUMAN, cost: humanCost(chosen, HUMAN) },
  ]);
  world.close();
} finally {
  await endpoint.stop();
}

async function counted(
  meter: Awaited<ReturnType<typeof benchWorld>>['meter'],
  times: number,
  work: (index: number) => Promise<void>,
) {
  meter.calls = [];
  for (let index = 0; index < times; index++) await work(index);
  return meter.calls;
}
