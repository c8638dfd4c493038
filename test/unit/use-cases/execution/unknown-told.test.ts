/** Checks that runs whose end nobody knows are told to people, and do not fill a channel (G34, G32). */
import { expect, test } from 'vitest';
import { approvedCall, guarded, redeemed } from '../running.ts';
import { World } from '../world.ts';

const MINUTE = 60_000;
const WIDE = '{ tools: { Refund: { maxConcurrent: 100, ratePerSecond: 100, burst: 100 } } }';

/** So many runs of an agent that never says how they ended. */
async function unreported(world: World, name: string, count: number, agent = 'coder') {
  for (let each = 0; each < count; each++)
    await redeemed(world, await approvedCall(world, { proposalId: `${name}${each}` }, agent));
  await world.clock.advance(5 * MINUTE);
}

const about = (world: World, agent: string) => world.slack.notices.filter((text) => text.includes(agent));

test('a channel is told of a few one by one, and once that there are more; each is on the record', async () => {
  const world = new World(guarded(WIDE));
  await unreported(world, 'p', 30);
  const told = about(world, 'coder');
  expect(told.filter((text) => text.startsWith('Nobody knows')).length).toBeLessThanOrEqual(8);
  expect(told.filter((text) => text.includes('--outcome unknown lists all'))).toHaveLength(1);
  for (let each = 0; each < 30; each++)
    expect((await world.audit(`p${each}`)).map(({ ran }) => ran?.status)).toContain('unknown');
  // Others are told of at once, and so is the agent after a quiet time.
  await unreported(world, 'w', 1, 'writer');
  expect(about(world, 'writer')).toHaveLength(1);
  await world.clock.advance(10 * MINUTE);
  await unreported(world, 'q', 1);
  expect(about(world, 'coder')).toHaveLength(told.length + 1);
});

test('a turn that Slack did not take is given back', async () => {
  const world = new World(guarded(WIDE));
  world.slack.down = true;
  await unreported(world, 'p', 5);
  world.slack.down = false;
  await world.clock.advance(60 * MINUTE);
  expect(about(world, 'coder').filter((text) => text.startsWith('Nobody knows'))).toHaveLength(5);
});
