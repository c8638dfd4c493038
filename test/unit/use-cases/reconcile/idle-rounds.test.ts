/** Checks that the gate in memory has rounds of the reconciler while a row is due, and no others. */
import { expect, test } from 'vitest';
import { bash, World } from '../world.ts';

const MINUTE = 60_000;

test('a gate in memory looks for rows each minute while one is due, and not before or after', async () => {
  const looks: string[] = [];
  const world = new World(undefined, {
    invoke: (name, work) => {
      looks.push(name);
      return work();
    },
  });
  const rounds = () => looks.filter((name) => name === 'reconcile').length;
  await world.clock.advance(10 * MINUTE);
  expect(rounds()).toBe(0);

  world.slack.down = true;
  await world.send(bash('p1'));
  await world.clock.advance(10 * MINUTE);
  const duringOutage = rounds();
  expect(duringOutage).toBeGreaterThan(0);

  world.slack.down = false;
  await world.clock.advance(10 * MINUTE);
  await world.click('p1', 'alice');
  await world.clock.advance(10 * MINUTE);
  expect((await world.decided('p1')).outcome).toBe('approved');
  const before = rounds();
  await world.clock.advance(60 * MINUTE);
  expect(rounds()).toBe(before);
});
