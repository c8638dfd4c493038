/** Checks that rows hold ids alone: names that the policy file does not list come from Slack. */
import { describe, expect, test } from 'vitest';
import type { PeopleDirectory } from '../../../../../shared/ports/people.ts';
import { bash, PEOPLE, policyOf, World } from '../../world.ts';

const cardOf = (world: World): string => JSON.stringify([...world.slack.cards.values()].at(-1)?.blocks);

describe('somebody of a Slack user group whom the policy file does not list', () => {
  const votedBySam = async (nameOf: PeopleDirectory['nameOf']) => {
    const approvers = '  platform: { userGroup: S0PLATFORM, channel: approvals }';
    const approvals = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
    const members = [PEOPLE.alice, PEOPLE.stranger];
    const people: PeopleDirectory = { accountStatus: async () => 'member', nameOf, membersOf: async () => members };
    const world = new World(policyOf({ approvers, approvals }), { people });
    await world.send(bash('p1'));
    await world.click('p1', 'stranger');
    return world;
  };

  test('is called on the card as Slack calls them, and stands in no row by that name', async () => {
    const world = await votedBySam(async ({ user }) => (user === 'U0SAM' ? 'sam.d' : undefined));
    expect(cardOf(world)).toContain('1 so far (sam.d)');
    const { approval } = await world.row('p1');
    expect(approval.votes).toMatchObject([{ by: PEOPLE.stranger, name: 'U0SAM' }]);
    await world.click('p1', 'alice');
    expect(cardOf(world)).toContain('sam.d, Alice');
    expect(await world.decided('p1')).toMatchObject({
      message: expect.stringMatching(/^Approved by U0SAM and U0ALICE: /),
    });
    expect(JSON.stringify(await world.row('p1'))).not.toMatch(/sam\.d|Alice/);
  });

  test.each<[string, PeopleDirectory['nameOf']]>([
    ['does not say', async () => undefined],
    ['cannot be asked', async () => Promise.reject(new Error('down'))],
  ])('is called by their id where Slack %s', async (_, nameOf) => {
    expect(cardOf(await votedBySam(nameOf))).toContain('1 so far (U0SAM)');
  });
});

test.each(['deactivated', 'bot', 'foreign'] as const)(
  'a person whose account is %s cannot vote and is not mentioned; of whom Slack tells nothing now is',
  async (standing) => {
    const statusOf = { [PEOPLE.alice.user]: standing, [PEOPLE.bob.user]: 'unknown' } as const;
    const left: PeopleDirectory = {
      accountStatus: async ({ user }) => statusOf[user as keyof typeof statusOf] ?? 'member',
      nameOf: async () => undefined,
      membersOf: async () => undefined,
    };
    const world = new World(undefined, { people: left });
    await world.send(bash('p1'));
    expect(cardOf(world)).toContain(`<@${PEOPLE.bob.user}>`);
    expect(cardOf(world)).not.toContain(PEOPLE.alice.user);
  },
);

test('Slack is asked about everybody at once: a slow Slack keeps a card no longer than one answer', async () => {
  let [running, most] = [0, 0];
  const slow: PeopleDirectory = {
    accountStatus: async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return 'unknown';
    },
    nameOf: async () => undefined,
    membersOf: async () => undefined,
  };
  const world = new World(undefined, { people: slow });
  await world.send(bash('p1'));
  expect(most).toBeGreaterThan(1);
  expect(cardOf(world)).toContain(`<@${PEOPLE.bob.user}>`);
});

test('a card that only people could answer who left says that nobody can', async () => {
  const left: PeopleDirectory = {
    accountStatus: async () => 'deactivated',
    nameOf: async () => undefined,
    membersOf: async () => undefined,
  };
  const world = new World(undefined, { people: left });
  await world.send(bash('p1'));
  expect(cardOf(world)).toContain('nobody of platform is left who can answer');
});
