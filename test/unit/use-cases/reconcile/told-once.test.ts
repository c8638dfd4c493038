/** Checks that an agent is told of a decision once, whatever of the rest is away. */
import { expect, test } from 'vitest';
import { Outages } from '../outages.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;

test('while only the queue of cards is away, the agent is sent its decision once', async () => {
  const outages: Outages = new Outages(() => world);
  const world: World = new World(policyOf({}), { wrap: outages.wrap });
  await world.send(bash('p1'));
  await world.clock.advance(MINUTE);
  outages.begin(['cards'], 60 * MINUTE);
  await world.click('p1', 'alice').catch(() => undefined);
  await world.clock.advance(120 * MINUTE);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
  expect(world.gate.replies.sentTo('coder')).toHaveLength(1);
});
