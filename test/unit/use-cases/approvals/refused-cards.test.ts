/** Checks that a card which Slack refuses for good keeps no other card of its approval as it was. */
import { expect, test } from 'vitest';
import {
  SlackBusyError,
  SlackProblemError,
  SlackRefusedError,
} from '../../../../shared/adapters/slack/posting/errors.ts';
import { bash, policyOf, World } from '../world.ts';

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
