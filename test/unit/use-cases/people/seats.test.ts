/**
 * Checks that a yes counts only while its giver may give it (D31, D52, D57).
 *
 * Seats, groups and delegations are today's, at each use.
 */
import { describe, expect, test } from 'vitest';
import type { PeopleDirectory } from '../../../../shared/ports/people.ts';
import { changeDelegation } from '../../../../shared/use-cases/people/delegation.ts';
import { heard, LISTED, operateNow, outcomeOf, redemptionOf } from '../giving-steps.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const DAY = 24 * 60 * 60_000;
const HOUR = DAY / 24;

interface File {
  readonly owner?: string;
  readonly members?: string;
  readonly severity?: string;
  /** Silence about the tool is a yes. */
  readonly isSilent?: boolean;
  readonly ask?: string;
  readonly approvals?: string;
}
const fileOf = ({
  owner = 'olga',
  members = 'alice, olga',
  severity = 'medium',
  isSilent = false,
  ask,
  approvals,
}: File = {}) =>
  policyOf({
    agents: `  coder: { owner: ${owner} }`,
    approvers: `  platform: { members: [${members}], channel: approvals }\n  security: { members: [bob], channel: security }`,
    more: `tools: { Bash: { permissions: [Execute], severity: ${severity}${isSilent ? ', timeoutBehavior: Approve' : ''} } }\n`,
    ...(ask ? { ask: [ask] } : {}),
    ...(approvals ? { approvals } : {}),
  });
const delegated = (world: World, lasts = 2 * HOUR) => {
  const until = new Date(world.clock.now() + lasts).toISOString();
  return operateNow(world, { kind: 'delegate', agent: undefined, person: 'alice', to: 'bob', until }, 'owner');
};

/** Bob votes in Alice's seat. */
const WAYS = {
  delegated: async (world: World, id: string) => {
    await delegated(world);
    await world.send(bash(id, 'make x'));
  },
  'passed on': async (world: World, id: string) => {
    await world.send(bash(id, 'make x'));
    await world.passOn(id, 'alice', 'bob');
  },
};
const LOST: Readonly<Record<string, File>> = {
  'left the group': { members: 'olga' },
  'owns the agent now': { owner: 'alice' },
};

describe.each(Object.entries(WAYS))('a seat that was %s', (way, take) => {
  const approved = async (remember?: 'session') => {
    const world = new World(fileOf());
    await take(world, 'p');
    expect(await world.click('p', 'bob', 'approve', remember ? { remember } : {})).toMatchObject({ kind: 'counted' });
    return world;
  };

  test('stands in the permit, which is good while its person may vote', async () => {
    const world = await approved();
    const [call] = (await world.decided('p')).calls;
    const seat = { standsFor: PEOPLE.alice, ...(way === 'passed on' ? { passed: true } : {}) };
    expect(call?.permit?.allowedBy?.people).toEqual([{ ...PEOPLE.bob, groups: ['platform'], ...seat }]);
    await world.clock.advance(HOUR);
    expect(await redemptionOf(world, 'p')).toBe('granted');
  });

  test.each(Object.keys(LOST))('allows no more once its person %s', async (how) => {
    const world = await approved('session');
    expect(await outcomeOf(world, bash('q', 'make x'))).toBe('approved cache_hit');
    world.gate.usePolicy(fileOf(LOST[how]));
    expect([await redemptionOf(world, 'p'), await redemptionOf(world, 'q')]).toEqual(['revoked none', 'revoked none']);
    expect(await outcomeOf(world, bash('r', 'make x'))).not.toMatch(/^approved/);
  });

  test('answers later calls as well, if it was given for the session', async () => {
    const world = await approved('session');
    expect(await outcomeOf(world, bash('q', 'make x'))).toBe('approved cache_hit');
    expect(await redemptionOf(world, 'q')).toBe('granted');
  });
});

describe('a delegation', () => {
  const approved = async (members?: PeopleDirectory) => {
    const document = members
      ? policyOf({
          more: LISTED,
          agents: '  coder: { owner: olga }',
          approvers: '  platform: { userGroup: S0PLATFORM, channel: approvals }',
        })
      : fileOf();
    const world = new World(document, members ? { people: members } : {});
    await delegated(world);
    await world.send(bash('p', 'make x'));
    await world.click('p', 'bob', 'approve', { remember: 'session' });
    expect(await outcomeOf(world, bash('q', 'make x'))).toBe('approved cache_hit');
    return world;
  };
  const slack: PeopleDirectory = {
    accountStatus: async () => 'member',
    nameOf: async () => undefined,
    membersOf: async () => [PEOPLE.alice],
  };

  test.each<[string, PeopleDirectory | undefined]>([
    ['the file', undefined],
    ['Slack', slack],
  ])('that is over allows nothing more, in a group of %s', async (_, members) => {
    const late = await approved(members);
    await late.clock.advance(2 * HOUR);
    expect(await redemptionOf(late, 'p')).toBe('revoked none');
    const called = await approved(members);
    await operateNow(called, { kind: 'undelegate', agent: undefined, person: 'alice' }, 'owner');
    expect([await redemptionOf(called, 'p'), await redemptionOf(called, 'q')]).toEqual([
      'revoked none',
      'revoked none',
    ]);
    expect(await outcomeOf(called, bash('r', 'make x'))).toBe('waits');
  });

  test('of a person in a Slack user group holds while it is not over', async () => {
    const world = await approved(slack);
    expect([await redemptionOf(world, 'p')]).toEqual(['granted']);
  });
});

test('two who share one seat by now are one person', async () => {
  const approvals = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
  const world = new World(fileOf({ members: 'alice, bob, olga', approvals }));
  await world.send(bash('p', 'make x'));
  for (const who of ['alice', 'bob'] as const) await world.click('p', who);
  world.gate.usePolicy(fileOf({ members: 'alice, olga', approvals }));
  const until = new Date(world.clock.now() + DAY).toISOString();
  const sent = { at: 1, receivedAt: 1, id: 'd', isAhead: false };
  await changeDelegation(
    { person: PEOPLE.alice, to: PEOPLE.bob, until },
    'a test',
    { id: 'd', sent },
    world.gate.parts,
  );
  expect(await redemptionOf(world, 'p')).toBe('revoked none');
});

describe('a permit of people', () => {
  test.each<[string, File, string]>([
    ['who are in the group', { members: 'alice, olga' }, 'granted'],
    ['who left the group', { members: 'bob, olga' }, 'revoked none'],
    [
      'of whom one more is wanted now',
      { members: 'alice, bob', approvals: '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }' },
      'revoked none',
    ],
    ['whom nobody asks any more', { approvals: '{ approvers: security, timeout: 1h }' }, 'revoked none'],
    ['whose tool is of high severity now', { severity: 'high' }, 'revoked none'],
  ])('%s', async (_, later, expected) => {
    const world = new World(fileOf({ members: 'alice, olga' }));
    await world.send(bash('p', 'make x'));
    await world.click('p', 'alice');
    world.gate.usePolicy(fileOf(later));
    expect(await redemptionOf(world, 'p')).toBe(expected);
  });

  test('does not count an edit as an approval', async () => {
    const world = new World(fileOf({ members: 'alice, bob, olga' }));
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make y' });
    await world.click('p', 'bob');
    expect(await heard(world, 'p')).toBe('approved edited');
    const [call] = (await world.decided('p')).calls;
    expect(call?.permit?.allowedBy?.people).toEqual([
      { ...PEOPLE.bob, groups: ['platform'] },
      { ...PEOPLE.alice, groups: ['platform'], edited: true },
    ]);
    world.gate.usePolicy(fileOf({ members: 'alice, olga' }));
    expect(await redemptionOf(world, 'p', { input: { command: 'make y' } })).toBe('revoked none');
  });
});

describe('an approval for all arguments of a tool', () => {
  const given = async () => {
    const world = new World(policyOf({ more: `${LISTED}guardrails: { tools: { Bash: { maxConcurrent: 9 } } }` }));
    await world.send(bash('given', 'make x'));
    await world.click('given', 'alice', 'approve', { remember: 'session-all-tools' });
    return world;
  };

  test.each([
    ['a path', bash('p', 'rsync token=/../etc/x /tmp'), 'waits'],
    ['its folder’s name', bash('p', 'make y', { cwd: '/workspace/token=/../../etc' }), 'waits'],
    ['a value', bash('p', 'deploy --password hunter2hunter2'), 'approved cache_hit'],
  ])('and a call whose mark hides %s', async (_, call, expected) => {
    expect(await outcomeOf(await given(), call)).toBe(expected);
  });
});

test.each<[string, File, string]>([
  ['takes none for a yes now', {}, 'revoked none'],
  ['is of high severity by now', { ask: "{ rule: 'Bash(make:*)', severity: high }", isSilent: true }, 'revoked none'],
  ['is as it was', { isSilent: true }, 'granted'],
])('silence that approved a call of a tool that %s', async (_, later, expected) => {
  const world = new World(fileOf({ isSilent: true }));
  await world.send(bash('p', 'make x'));
  await world.clock.advance(HOUR + 60_000);
  expect(await heard(world, 'p')).toBe('approved timeout_approved');
  world.gate.usePolicy(fileOf(later));
  expect(await redemptionOf(world, 'p')).toBe(expected);
});

test('silence about a call that somebody edited ends its twin alike', async () => {
  const world = new World(
    policyOf({ more: 'tools: { Bash: { permissions: [Execute], timeoutBehavior: Approve } }\n' }),
  );
  await world.send(bash('p', 'make x'));
  await world.send(bash('q', 'make x'));
  await world.edit('p', 'alice', { command: 'make y' });
  await world.clock.advance(62 * 60_000);
  for (const id of ['p', 'q']) {
    expect(await heard(world, id)).toBe('approved timeout_approved');
    expect((await world.decided(id)).calls[0]?.effective?.input).toEqual({ command: 'make y' });
  }
});
