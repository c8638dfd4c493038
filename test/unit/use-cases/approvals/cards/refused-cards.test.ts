/** Checks that a card which Slack refuses for good keeps no other card of its approval as it was. */
import { expect, test } from 'vitest';
import {
  SlackBusyError,
  SlackProblemError,
  SlackRefusedError,
} from '../../../../../shared/adapters/slack/posting/errors.ts';
import { bash, policyOf, World } from '../../world.ts';
import { AGENT, ask } from './burst-world.ts';

const MINUTE = 60_000;

test.each([
  ['asks to wait', () => new SlackBusyError(7)],
  ['does not answer', () => new SlackProblemError(undefined)],
  ['refuses it for now', () => new SlackProblemError('restricted_action')],
])('the card of another channel, for which Slack %s at first, is updated', async (_, fault) => {
  const approvers =
    '  platform: { members: [alice], channel: approvals }\n  security: { members: [bob], channel: security }';
  const approvals = '{ stages: [{ group: platform, timeout: 10m, escalateTo: security }], timeout: 1h }';
  const world = new World(policyOf({ approvers, approvals }));
  await world.send(bash('p1'));
  await world.clock.advance(12 * MINUTE);
  const { update } = world.slack;
  let faults = 2;
  world.slack.update = async (at, card) => {
    if (at.channel === 'C0APPROVALS') throw new SlackRefusedError('edit_window_closed');
    if (faults-- > 0) throw fault();
    return update.call(world.slack, at, card);
  };
  await world.click('p1', 'bob');
  await world.clock.advance(20 * MINUTE);
  expect(world.slack.titles).toEqual([expect.stringContaining('wants to run'), expect.stringContaining('Approved')]);
});

test('the thread of a list whose update Slack refuses is told who else is asked all the same', async () => {
  const stages = '[{ group: platform, timeout: 10m, escalateTo: security }]';
  const approvals = `{ stages: ${stages}, timeout: 1h, newCards: { burst: 100, perMinute: 100 } }`;
  const world = new World(policyOf({ ...AGENT, approvals }));
  await ask(world, 1, 5);
  world.slack.update = async () => {
    throw new SlackRefusedError('invalid_blocks');
  };
  await world.clock.advance(15 * MINUTE);
  const told = world.slack.thread.filter((text) => text.includes('and anybody of either group may answer 3 calls'));
  expect(told).toEqual([expect.stringContaining('git push 3')]);
  expect((await world.row('p3')).cardProblem).toBe('refused');
});
