/** Checks that an agent is told of a decision once, whatever of the rest is away. */
import { expect, test } from 'vitest';
import { Outages } from '../outages.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;

async function askedWithOutages(ids: readonly string[]) {
  const outages: Outages = new Outages(() => world);
  const world: World = new World(policyOf({}), { wrap: outages.wrap });
  for (const id of ids) await world.send(bash(id));
  await world.clock.advance(MINUTE);
  return { world, outages };
}

const sentIds = (world: World) => world.gate.replies.sentTo('coder').map(({ proposalId }) => proposalId);

test.each([[['p1', 'p2']], [['p1', 'p2', 'p3']]])(
  'while nothing is away, the agent is sent each decision of %j once',
  async (ids) => {
    const { world } = await askedWithOutages(ids);
    await world.click('p1', 'alice');
    await world.clock.advance(120 * MINUTE);
    expect(sentIds(world).toSorted()).toEqual(ids);
    for (const id of ids) expect(await world.look.approvals.read(world.pid(id))).not.toHaveProperty('dueAt');
  },
);

test('while workflows are away, the agent is sent each decision once', async () => {
  const { world, outages } = await askedWithOutages(['p1', 'p2']);
  outages.begin(['workflow'], 30 * MINUTE);
  await world.click('p1', 'alice').catch(() => undefined);
  await world.clock.advance(120 * MINUTE);
  expect(sentIds(world).toSorted()).toEqual(['p1', 'p2']);
});

// Identical calls of one session share a card: the first leads, and the others follow it.
test.each([[['p1']], [['p1', 'p2']], [['p1', 'p2', 'p3']]])(
  'while only the queue of cards is away, the agent is sent each decision of %j once',
  async (ids) => {
    const { world, outages } = await askedWithOutages(ids);
    outages.begin(['cards'], 60 * MINUTE);
    await world.click('p1', 'alice').catch(() => undefined);
    await world.clock.advance(120 * MINUTE);
    for (const id of ids) expect(await world.decided(id)).toMatchObject({ outcome: 'approved' });
    expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
    expect(sentIds(world).toSorted()).toEqual(ids);
  },
);

test('while the queues of cards and of the agent are away, each decision is sent once that of the agent is back', async () => {
  const { world, outages } = await askedWithOutages(['p1', 'p2']);
  outages.begin(['replies'], 30 * MINUTE);
  outages.begin(['cards'], 60 * MINUTE);
  await world.click('p1', 'alice').catch(() => undefined);
  await world.clock.advance(29 * MINUTE);
  expect(sentIds(world)).toEqual([]);
  await world.clock.advance(120 * MINUTE);
  expect(sentIds(world).toSorted()).toEqual(['p1', 'p2']);
});

test.each([[1], [2], [3]])(
  'a lead that is cancelled while cards are away is told once, and its %d followers ask',
  async (count) => {
    const followers = Array.from({ length: count }, (_, index) => `f${index}`);
    const { world, outages } = await askedWithOutages(['p1', ...followers]);
    outages.begin(['cards'], 30 * MINUTE);
    await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' }).catch(() => undefined);
    await world.clock.advance(40 * MINUTE);
    expect(sentIds(world)).toEqual(['p1']);
    for (const id of followers) await world.click(id, 'alice');
    for (const id of followers) expect(await world.decided(id)).toMatchObject({ outcome: 'approved' });
  },
);
