/** Checks that the holder of a delegated seat is asked in the channel of the seat's group. */
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import type { Approval, Person } from '../../../../shared/contract/index.ts';
import { audienceOf } from '../../../../shared/use-cases/approvals/voting/audience.ts';
import { sourceOf } from '../../adapters/slack/surfaces.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const policy = compilePolicy(
  loadPolicy(
    `
people:
  alice: { team: T0, user: U0ALICE, name: Alice }
  carol: { team: T0, user: U0CAROL, name: Carol }
  dave: { team: T0, user: U0DAVE, name: Dave }
  erin: { team: T0, user: U0ERIN, name: Erin }
  olga: { team: T0, user: U0OLGA, name: Olga }
agents: { coder: { owner: olga, projectRoot: /srv/shop } }
channels: { asks: { team: T0, id: C0ASKS }, leads: { team: T0, id: C0LEADS } }
approvers: { platform: { members: [alice], channel: asks }, leads: { members: [carol], channel: leads } }
approvals: { approvers: platform }
`,
    'countersign.yaml',
  ),
);
const person = (user: string) => ({ team: 'T0', user });
const AT = '2026-11-22T09:30:00.000Z';
const deps = {
  policy,
  people: { accountStatus: async () => 'member', nameOf: async () => undefined, membersOf: async () => undefined },
  delegations: { read: async () => ({ delegations: [], version: 0 }) },
  clock: { now: () => Date.parse(AT) },
} as never;

async function askedIn(passed: NonNullable<Approval['passed']>): Promise<Record<string, string[]>> {
  const { approval } = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'ls' } }], { escalated: true, passed });
  const escalateTo = { group: 'leads', channel: 'C0LEADS' };
  const stages = [{ group: 'platform', channel: 'C0ASKS', quorum: 1, timeoutMs: 3_600_000, escalateTo }];
  const asked = { ...approval, question: { ...approval.question, stages } } as Approval;
  const audience = await audienceOf(asked, deps);
  return Object.fromEntries(audience.map(({ channel, people }) => [channel, people.map(({ name }) => name)]));
}

test('a seat in a group that is asked as well is held in its channel', async () => {
  const passed = [{ by: person('U0CAROL'), to: person('U0DAVE'), name: 'x', at: AT }];
  expect(await askedIn(passed)).toEqual({ C0ASKS: ['Alice'], C0LEADS: ['Dave'] });
});

test('so is one that was passed on again, and one of the group asked first in its own', async () => {
  const again = [
    { by: person('U0CAROL'), to: person('U0DAVE'), name: 'x', at: AT },
    { by: person('U0DAVE'), standsFor: person('U0CAROL'), to: person('U0ERIN'), name: 'x', at: AT },
  ];
  expect(await askedIn(again)).toEqual({ C0ASKS: ['Alice'], C0LEADS: ['Erin'] });
  expect(await askedIn([{ by: person('U0ALICE'), to: person('U0DAVE'), name: 'x', at: AT }])).toEqual({
    C0ASKS: ['Dave'],
    C0LEADS: ['Carol'],
  });
});

describe('a seat goes to nobody who cannot answer, as the question would ask nobody', () => {
  const refused = { refusal: 'unknown_person' };

  test('such as somebody who has voted in an earlier stage', async () => {
    const approvers =
      '  platform: { members: [alice], channel: approvals }\n  leads: { members: [bob], channel: approvals }';
    const approvals = '{ stages: [{ group: platform, quorum: 1 }, { group: leads }], timeout: 1h }';
    const world = new World(policyOf({ approvers, approvals }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect(await world.passOn('p1', 'bob', 'alice')).toMatchObject(refused);
    expect((await world.row('p1')).approval.passed).toBeUndefined();
  });

  test.each(['deactivated', 'bot', 'foreign'] as const)('such as somebody whose account is %s', async (status) => {
    const accountStatus = async ({ user }: { readonly user: string }) =>
      user === PEOPLE.alice.user ? status : ('member' as const);
    const people = { accountStatus, nameOf: async () => undefined, membersOf: async () => undefined };
    const world = new World(policyOf({ approvers: '  platform: { members: [bob], channel: approvals }' }), { people });
    await world.send(bash('p1'));
    expect(await world.passOn('p1', 'bob', 'alice')).toMatchObject(refused);
  });
});

test('votes of those who passed it on count only while they would: of a group that was emptied since somebody has to join', async () => {
  let members: readonly Person[] = [PEOPLE.alice, PEOPLE.bob];
  const world = new World(policyOf({ approvers: '  platform: { userGroup: S0PLATFORM, channel: approvals }' }), {
    people: { accountStatus: async () => 'member', nameOf: async () => undefined, membersOf: async () => members },
  });
  const card = () => JSON.stringify([...world.slack.cards.values()].at(-1)?.blocks);
  await world.send(bash('p1'));
  for (const who of ['alice', 'bob'] as const) await world.passOn('p1', who);
  expect(card()).toContain('all of platform who can answer passed it on; their votes still count');
  members = [];
  const again = { agent: 'coder', only: 'update', anew: true } as const;
  await world.gate.parts.cards.refresh(world.pid('p1'), 'C0APPROVALS', 'now', again);
  await world.rest();
  expect(card()).toContain('nobody of platform is left who can answer: somebody has to join');
});
