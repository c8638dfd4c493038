/** Checks that a card or message which comes long after people were asked says since when they are. */
import { expect, test } from 'vitest';
import { textsOf } from '../../../adapters/slack/surfaces.ts';
import { bash, policyOf, World } from '../../world.ts';

const MINUTE = 60_000;
const approvals = '{ approvers: platform, timeout: 3d, newCards: { listFrom: 3 } }';
const DOCUMENT = policyOf({ approvals, approvers: '  platform: { members: [alice, bob], channel: approvals }' });

/** Slack names messages by the clock of the gate. */
function worldInTime(document = DOCUMENT): World {
  const world = new World(document);
  const { post } = world.slack;
  world.slack.post = async (channel, card) => {
    const { ts } = await post.call(world.slack, channel, card);
    world.slack.cards.delete(`${channel}#${ts}`);
    const place = { channel, ts: `${Math.floor(world.clock.now() / 1_000)}.${ts.split('.')[1]}` };
    world.slack.cards.set(`${channel}#${place.ts}`, card);
    return place;
  };
  return world;
}

const last = (world: World) => {
  const card = [...world.slack.cards.values()].at(-1);
  return { text: card?.text, blocks: card ? textsOf(card).join('\n') : '' };
};
const asked = (world: World): string =>
  `Asked ${new Date(world.clock.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC.`;

test('a card that comes in time says nothing of it, and none is added when it is drawn again', async () => {
  const world = worldInTime();
  await world.send(bash('p1', 'git push origin main'));
  await world.clock.advance(50 * 60 * MINUTE);
  await world.passOn('p1', 'alice', 'bob');
  expect(last(world).blocks).toContain('passed it on to Bob');
  expect(last(world).text).not.toContain('Asked');
  expect(last(world).blocks).not.toContain('asked {');
});

test('a card that an outage held up for two days says since when it is asked, also once it is drawn again', async () => {
  const world = worldInTime();
  const since = asked(world);
  world.slack.down = true;
  await world.send(bash('p1', 'git push origin main'));
  await world.clock.advance(50 * 60 * MINUTE);
  world.slack.down = false;
  await world.clock.advance(10 * MINUTE);
  expect(last(world).text).toContain(since);
  expect(last(world).blocks).toMatch(/<!date\^\d+\^asked \{date_short_pretty\} at \{time\}\|asked 20/);
  await world.passOn('p1', 'alice', 'bob');
  expect(last(world).blocks).toContain('^asked {date_short_pretty}');
});

test('so does a card that is posted again in place of a deleted one', async () => {
  const world = worldInTime(policyOf({ approvals: '{ stages: [{ group: platform, remind: 2d }], timeout: 3d }' }));
  const since = asked(world);
  await world.send(bash('p1', 'git push origin main'));
  expect(last(world).text).not.toContain(since);
  const { update } = world.slack;
  const [deleted] = world.slack.cards.keys();
  world.slack.update = async (at, card) => `${at.channel}#${at.ts}` !== deleted && update.call(world.slack, at, card);
  await world.clock.advance(2 * 24 * 60 * MINUTE + 10 * MINUTE);
  expect(world.slack.cards.size).toBe(2);
  expect(last(world).text).toContain(since);
});

test('and a call of a list that comes late', async () => {
  const world = worldInTime();
  world.slack.down = true;
  for (const id of ['p1', 'p2', 'p3', 'p4']) await world.send(bash(id, `git push origin ${id}`));
  await world.clock.advance(60 * MINUTE);
  world.slack.down = false;
  await world.clock.advance(10 * MINUTE);
  expect(last(world).text).toContain('coder wants to run 2 more calls');
  expect(last(world).blocks.match(/\^asked \{/g)).toHaveLength(2);
});

test('and the direct message of a reminder', async () => {
  const { policy } = policyOf({ approvals: '{ stages: [{ group: platform, remind: 20m }], timeout: 3d }' });
  const bob = { ...policy.people['bob'], notify: 'dm' } as never;
  const world = worldInTime({ ...DOCUMENT, policy: { ...policy, people: { ...policy.people, bob } } });
  const since = asked(world);
  await world.send(bash('p1', 'git push origin main'));
  await world.clock.advance(25 * MINUTE);
  const texts = world.slack.direct.map(({ text }) => text.includes(since));
  expect(texts).toEqual([false, true]);
});
