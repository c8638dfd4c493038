/** Tests that new cards draw the App Home of those who looked at it today, and at most once a minute. */
import { expect, test } from 'vitest';
import type { Person } from '../../../../../shared/contract/index.ts';
import { bash, PEOPLE, policyOf, World } from '../../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function worldWithHomes(looked: readonly (keyof typeof PEOPLE)[], hoursAgo = 1) {
  const drawn: string[] = [];
  const drawHome = async ({ user }: Person) => void drawn.push(user);
  const world = new World(policyOf(), { drawHome });
  const at = new Date(world.clock.now() - hoursAgo * HOUR).toISOString();
  for (const who of looked) void world.gate.parts.history.noteLook(PEOPLE[who], at);
  return { world, drawn };
}

test('a new card draws the Home of whoever it asks and who looked today, within a minute', async () => {
  const { world, drawn } = worldWithHomes(['alice', 'olga']);
  await world.send(bash('p1'));
  await world.clock.advance(MINUTE);
  expect(drawn).toEqual(['U0ALICE']);
});

test('of somebody who looked longer ago than a day it draws nothing', async () => {
  const { world, drawn } = worldWithHomes(['alice', 'bob'], 25);
  await world.send(bash('p1'));
  await world.clock.advance(5 * MINUTE);
  expect(drawn).toEqual([]);
});

test('eighteen cards, each of its own or on a list, cost one drawing a minute', async () => {
  const { world, drawn } = worldWithHomes(['bob']);
  for (let at = 0; at < 18; at++) {
    await world.send(bash(`p${at}`, `git push ${at}`));
    await world.clock.advance(10_000);
  }
  await world.clock.advance(10 * MINUTE);
  expect(drawn.length).toBeGreaterThanOrEqual(3);
  expect(drawn.length).toBeLessThanOrEqual(4);
});

test('a Home that cannot be drawn holds up no card', async () => {
  const drawHome = async () => Promise.reject(new Error('no Home'));
  const world = new World(policyOf(), { drawHome });
  await world.gate.parts.history.noteLook(PEOPLE.alice, new Date(world.clock.now()).toISOString());
  await world.send(bash('p1'));
  await world.clock.advance(10 * MINUTE);
  await world.send(bash('p2', 'git push next'));
  expect(world.slack.cards.size).toBe(2);
});
