/** Tests the seats in a group: its members, a Slack user group's, and delegates for a time (D31, D36). */
import { expect, test } from 'vitest';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import type { Approval, Delegation } from '../../../../shared/contract/index.ts';
import type { AccountStatus, PeopleDirectory } from '../../../../shared/ports/people.ts';
import { FakeClock } from '../../../../shared/testing/fake-clock.ts';
import { voterOf } from '../../../../shared/use-cases/approvals/voting/eligible-voter.ts';

const FILE = `people:
  alice: { team: T0, user: U0ALICE, name: Alice }
  bob: { team: T0, user: U0BOB, name: Bob }
  olga: { team: T0, user: U0OLGA, name: Olga }
agents: { builder: { owner: olga } }
channels: { approvals: { team: T0, id: C0 } }
approvers:
  platform: { members: [alice], channel: approvals }
  oncall: { userGroup: S0ONCALL, channel: approvals }
delegations:
  - { person: alice, to: bob, from: 2026-11-21T10:00:00Z, until: 2026-11-21T11:00:00Z }
  - { group: oncall, to: olga, until: 2026-11-21T11:00:00Z }
`;
const POLICY = compilePolicy(loadPolicy(FILE, 'policy.yaml'));
const ALICE = { team: 'T0', user: 'U0ALICE' };
const BOB = { team: 'T0', user: 'U0BOB' };
const OLGA = { team: 'T0', user: 'U0OLGA' };

const approvalOf = (...groups: string[]) =>
  ({
    question: { stages: groups.map((group) => ({ group, quorum: 1, team: 'T0', channel: 'C0' })) },
  }) as unknown as Approval;

const directory = (
  members: readonly { team: string; user: string }[] | undefined,
  standing: AccountStatus = 'member',
) =>
  ({
    accountStatus: async () => standing,
    nameOf: async () => undefined,
    membersOf: async () => members,
  }) satisfies PeopleDirectory;

const seatsOf = async (
  person: { team: string; user: string },
  groups: string[],
  at: string,
  people: PeopleDirectory = directory([]),
  delegated: readonly Delegation[] = [],
  policy = POLICY,
) => {
  const delegations = { read: async () => ({ version: 1, delegations: [...delegated], done: [] }) };
  const gate = { policy, people, delegations, clock: new FakeClock(Date.parse(at)) };
  const { seats, barred } = await voterOf({ person, isBot: false }, approvalOf(...groups), gate);
  return barred ?? seats;
};

const DURING = '2026-11-21T10:30:00Z';

test.each([
  ['before it begins', '2026-11-21T09:59:59Z', []],
  ['while it holds', DURING, [{ group: 'platform', standsFor: ALICE }]],
  ['at its end', '2026-11-21T11:00:00Z', []],
])('a delegated seat counts only while it holds: %s', async (_, at, expected) => {
  expect(await seatsOf(BOB, ['platform'], at)).toEqual(expected);
});

test('the person who delegated keeps the own seat', async () => {
  expect(await seatsOf(ALICE, ['platform'], DURING)).toEqual([{ group: 'platform' }]);
});

test('a seat in a group as a whole is one more seat, for nobody else', async () => {
  expect(await seatsOf(OLGA, ['oncall'], DURING, directory([ALICE]))).toEqual([{ group: 'oncall' }]);
  expect(await seatsOf(OLGA, ['oncall'], '2026-11-21T11:00:00Z', directory([ALICE]))).toEqual([]);
});

test('members of a Slack user group hold its seats, and so does a delegate of one of them', async () => {
  expect(await seatsOf(ALICE, ['oncall'], DURING, directory([ALICE]))).toEqual([{ group: 'oncall' }]);
  expect(await seatsOf(BOB, ['oncall'], DURING, directory([ALICE]))).toEqual([{ group: 'oncall', standsFor: ALICE }]);
  expect(await seatsOf(BOB, ['oncall'], DURING, directory([OLGA]))).toEqual([]);
});

test('a group that cannot be looked up counts against the vote, and so does an account that cannot be', async () => {
  expect(await seatsOf(ALICE, ['oncall'], DURING, directory(undefined))).toBe('membership_unknown');
  expect(await seatsOf(ALICE, ['platform'], DURING, directory([], 'unknown'))).toBe('membership_unknown');
  expect(await seatsOf(ALICE, ['platform'], DURING, directory([], 'deactivated'))).toBe('deactivated_person');
  expect(await seatsOf(ALICE, ['platform'], DURING, directory([], 'foreign'))).toBe('foreign_workspace');
});

test('a guest has the seats of a user group only where the policy file names the guest', async () => {
  const GUEST = { team: 'T0', user: 'U0GUEST' };
  expect(await seatsOf(GUEST, ['oncall'], DURING, directory([GUEST], 'guest'))).toBe('guest_not_named');
  expect(await seatsOf(GUEST, ['oncall'], DURING, directory([GUEST]))).toEqual([{ group: 'oncall' }]);
  expect(await seatsOf(ALICE, ['oncall'], DURING, directory([ALICE], 'guest'))).toEqual([{ group: 'oncall' }]);
});

test('a member of the user group whose account is of another workspace is told so, and decides once the file names them', async () => {
  const ZOE = { team: 'T0HOME', user: 'U0ZOE' };
  const asListed = directory([{ team: 'T0', user: 'U0ZOE' }]);
  expect(await seatsOf(ZOE, ['oncall'], DURING, asListed)).toBe('home_elsewhere');
  expect(await seatsOf(ZOE, ['oncall', 'platform'], DURING, asListed)).toBe('home_elsewhere');
  // Another group decides now.
  expect(await seatsOf(ZOE, ['platform', 'oncall'], DURING, asListed)).toEqual([]);
  expect(await seatsOf(ZOE, ['platform'], DURING, asListed)).toEqual([]);
  expect(await seatsOf(ZOE, ['oncall'], DURING, directory([ALICE]))).toEqual([]);
  expect(await seatsOf(ZOE, ['oncall'], DURING, { ...asListed, accountStatus: async () => 'foreign' })).toBe(
    'foreign_workspace',
  );
  const named = compilePolicy(
    loadPolicy(
      FILE.replace('agents:', '  zoe: { team: T0HOME, user: U0ZOE, name: Zoe }\nagents:').replace(
        'to: olga,',
        'to: zoe,',
      ),
      'policy.yaml',
    ),
  );
  expect(await seatsOf(ZOE, ['oncall'], DURING, asListed, [], named)).toEqual([{ group: 'oncall' }]);
});

test('what people delegated since counts like the file, while it holds and as long as the seat is there', async () => {
  const delegated: Delegation[] = [
    { person: ALICE, to: OLGA, from: '2026-11-21T12:00:00Z', until: '2026-11-21T13:00:00Z', by: 'alice' },
  ];
  const ask = (at: string, members = directory([]), group = 'platform') =>
    seatsOf(OLGA, [group], at, members, delegated);
  expect(await ask('2026-11-21T11:59:59.999Z')).toEqual([]);
  expect(await ask('2026-11-21T12:00:00Z')).toEqual([{ group: 'platform', standsFor: ALICE }]);
  expect(await ask('2026-11-21T13:00:00Z')).toEqual([]);
  // A person who left the group has no seat there to give.
  expect(await ask('2026-11-21T12:30:00Z', directory([BOB]), 'oncall')).toEqual([]);
  expect(await ask('2026-11-21T12:30:00Z', directory([ALICE]), 'oncall')).toEqual([
    { group: 'oncall', standsFor: ALICE },
  ]);
});
