/**
 * Tests the news of a card's thread, and news while the card is posted.
 *
 * A phone shows their text alone, and the card counts them.
 */
import { expect, test } from 'vitest';
import { bash, policyOf, World } from '../../world.ts';
import { last, MINUTE, textOf } from './burst-world.ts';

const GROUPS =
  '  platform: { members: [alice, olga], channel: approvals }\n  security: { members: [bob], channel: security }';
const SEVERE = "{ rule: 'Bash(terraform:*)', reason: It changes production., severity: high, stages: STAGES }";

async function told(stages: string, act: (world: World) => Promise<unknown>): Promise<string> {
  const world = new World(
    policyOf({ approvers: GROUPS, ask: ["'Bash(git push:*)'", SEVERE.replace('STAGES', stages)] }),
  );
  await world.send(bash('p1', 'terraform apply', { cwd: '/workspace/infra' }));
  await act(world);
  return world.slack.thread.at(-1) ?? '';
}

test.each<[string, string, (world: World) => Promise<unknown>, RegExp]>([
  [
    'a reminder',
    '[{ group: platform, quorum: 1, remind: 5m }, { group: security }]',
    (world) => world.clock.advance(6 * MINUTE),
    /^<@U0ALICE> High: Reminder for platform: terraform apply of coder in \/workspace\/infra still waits\./,
  ],
  [
    'an escalation',
    '[{ group: platform, quorum: 1, timeout: 5m, escalateTo: security }, { group: security }]',
    (world) => world.clock.advance(6 * MINUTE),
    /^<@U0ALICE> High: platform did not answer in time: security are asked as well about terraform apply of coder in \/workspace\/infra;/,
  ],
  [
    'a call that is passed on',
    '[{ group: platform, quorum: 1 }, { group: security }]',
    (world) => world.passOn('p1', 'alice', 'bob'),
    /^<@U0BOB> High: Alice passed this on to you: terraform apply of coder in \/workspace\/infra waits for your answer\./,
  ],
])(
  '%s names severity, agent, call, folder and until when, and mentions whoever can answer',
  async (_, stages, act, text) => {
    const note = await told(stages, act);
    expect(note).toMatch(text);
    expect(note).toMatch(/ Until \d\d:\d\d UTC\.$/);
  },
);

test('a reminder that comes late is one, and the card counts those that were told', async () => {
  const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, remind: 4m }], timeout: 1h }' }));
  await world.send(bash('p1'));
  world.slack.down = true;
  await world.clock.advance(9 * MINUTE);
  world.slack.down = false;
  await world.clock.advance(2 * MINUTE);
  expect(world.slack.thread.filter((text) => text.includes('Reminder'))).toHaveLength(1);
  expect(textOf(last(world))).toContain('reminded 1 time');
  await world.clock.advance(2 * MINUTE);
  expect(textOf(last(world))).toContain('reminded 2 times');
});

test('a row that changes while its card is posted has the card drawn again', async () => {
  const world = new World();
  const post = world.slack.post.bind(world.slack);
  world.slack.post = async (channel, card) => {
    const { approval } = await world.row('p1');
    await world.look.approvals.write({ ...approval, version: 1 }, undefined, world.clock.now() + MINUTE);
    return post(channel, card);
  };
  await world.send(bash('p1'));
  expect((await world.row('p1')).cards).toMatchObject([{ drawn: '1' }]);
});
