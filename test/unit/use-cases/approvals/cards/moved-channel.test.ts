/** Checks that waiting questions follow their group to another channel if theirs is closed. */
import { expect, test } from 'vitest';
import { SlackProblemError } from '../../../../../shared/adapters/slack/posting/errors.ts';
import { bash, policyOf, World } from '../../world.ts';

const MINUTE = 60_000;
const MEMBERS = 'members: [alice, bob]';
const approvals = '{ approvers: platform, timeout: 1d }';
const before = policyOf({ approvals, approvers: `  platform: { ${MEMBERS}, channel: approvals }` });
const after = policyOf({ approvals, approvers: `  platform: { ${MEMBERS}, channel: security }` });

/** Slack, where the channel of the group was archived. */
function archived(world: World): void {
  const { post, update } = world.slack;
  const refuse = (channel: string) => {
    if (channel === 'C0APPROVALS') throw new SlackProblemError('is_archived');
  };
  world.slack.post = async (channel, card) => {
    refuse(channel);
    return post.call(world.slack, channel, card);
  };
  world.slack.update = async (at, card) => {
    refuse(at.channel);
    return update.call(world.slack, at, card);
  };
}

const channels = (world: World) => [...world.slack.cards.keys()].map((key) => key.split('#')[0]);

test('a question that could not be posted is asked in the channel that the policy file names by now, once', async () => {
  const world = new World(before);
  archived(world);
  await world.send(bash('p1', 'git push origin main'));
  await world.clock.advance(60 * MINUTE);
  expect(channels(world)).toEqual([]);
  world.gate.usePolicy(after);
  await world.clock.advance(20 * MINUTE);
  expect(channels(world)).toEqual(['C0SECURITY']);
  await world.clock.advance(60 * MINUTE);
  expect(channels(world)).toEqual(['C0SECURITY']);
  expect((await world.row('p1')).cardProblem).toBeUndefined();
  await world.click('p1', 'alice');
  expect((await world.decided('p1')).outcome).toBe('approved');
});

test('a vote of before counts there', async () => {
  const two = (channel: string) =>
    policyOf({
      approvals: '{ stages: [{ group: platform, quorum: 2, remind: 30m }], timeout: 1d }',
      approvers: `  platform: { ${MEMBERS}, channel: ${channel} }`,
    });
  const world = new World(two('approvals'));
  await world.send(bash('p1', 'git push origin main'));
  await world.click('p1', 'alice');
  archived(world);
  await world.clock.advance(60 * MINUTE);
  world.gate.usePolicy(two('security'));
  await world.clock.advance(60 * MINUTE);
  expect(channels(world)).toEqual(['C0APPROVALS', 'C0SECURITY']);
  expect(world.slack.titles[1]).toContain('git push origin main');
  await world.click('p1', 'bob');
  expect((await world.decided('p1')).outcome).toBe('approved');
});

test('a question whose card is there stays where it is', async () => {
  const world = new World(before);
  await world.send(bash('p1', 'git push origin main'));
  world.gate.usePolicy(after);
  await world.clock.advance(20 * 60 * MINUTE);
  expect(channels(world)).toEqual(['C0APPROVALS']);
});
