/**
 * Checks that a grant needs a giver who could approve the call today (D52, G19).
 *
 * Owners, requesters and groups are today's.
 */
import { describe, expect, test } from 'vitest';
import type { PeopleDirectory } from '../../../../shared/ports/people.ts';
import { family, heard, LISTED, operateNow, outcomeOf, redemptionOf, startHelper } from '../giving-steps.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A person approves for the lead, before the helper asks. */
async function given(
  world: World,
  who: 'alice' | 'bob',
  remember: 'session' | 'session-all-tools' = 'session-all-tools',
) {
  await startHelper(world);
  await world.send(bash('given', 'make x'), { agent: 'lead' });
  await world.click('given', who, 'approve', { remember, agent: 'lead' });
}
const helped = (world: World, proposalId = 'p', more = {}) =>
  outcomeOf(world, bash(proposalId, 'make x', { sessionId: 'h', ...more }), 'helper');

describe('a grant given to a parent', () => {
  test.each(['session', 'session-all-tools'] as const)(
    '%s answers no call of an agent that its giver owns',
    async (scope) => {
      const world = new World(family({ owner: 'bob' }));
      await given(world, 'bob', scope);
      expect(await helped(world)).toBe('waits');
      // The lead's own calls it goes on answering.
      expect(await outcomeOf(world, bash('own', 'make x'), 'lead')).toBe('approved cache_hit');
    },
  );

  test('answers those of an agent that somebody else owns', async () => {
    const world = new World(family({ owner: 'bob' }));
    await given(world, 'alice');
    expect(await helped(world)).toBe('approved bubble');
    expect(await redemptionOf(world, 'p', { agent: 'helper' })).toBe('granted');
  });

  test('answers no call in the name of its giver', async () => {
    const world = new World(family({ helper: ', requesters: [alice]' }));
    await given(world, 'alice');
    expect(await helped(world, 'p', { requester: 'alice' })).toBe('waits');
    expect(await helped(world, 'q')).toBe('approved bubble');
  });

  test('answers no call of an agent whose approvers its giver is none of', async () => {
    const world = new World(family({ helper: ', approvers: security' }));
    await given(world, 'alice');
    expect(await helped(world)).toBe('waits');
  });

  test('is of no use to the owner of an agent between: nobody approves for the agents above their own either', async () => {
    const agents = `  lead: { owner: olga }
  middle: { owner: bob, mode: bubble, parents: [lead] }
  helper: { owner: olga, mode: bubble, parents: [middle] }`;
    const world = new World(policyOf({ more: LISTED, agents }));
    await world.send(bash('s1', 'git status', { starts: { agentId: 'middle', sessionId: 'm' } }), { agent: 'lead' });
    await world.send(bash('s2', 'git status', { sessionId: 'm', starts: { agentId: 'helper', sessionId: 'h' } }), {
      agent: 'middle',
    });
    await world.send(bash('given', 'make x'), { agent: 'lead' });
    await world.click('given', 'bob', 'approve', { remember: 'session', agent: 'lead' });
    expect(await helped(world)).toBe('waits');
  });
});

describe('a grant', () => {
  test('answers no later request in its giver’s own name', async () => {
    const world = new World(policyOf({ more: LISTED, agents: '  coder: { owner: olga, requesters: [alice] }' }));
    await world.send(bash('given', 'make x'));
    await world.click('given', 'alice', 'approve', { remember: 'session-all-tools' });
    expect(await outcomeOf(world, bash('p', 'make y', { requester: 'alice' }))).toBe('waits');
    expect(await outcomeOf(world, bash('q', 'make y'))).toBe('approved cache_hit');
  });

  test('ends when its giver becomes the owner, at the proposal and at the redemption', async () => {
    const world = new World(policyOf({ more: LISTED }));
    await world.send(bash('given', 'make x'));
    await world.click('given', 'alice', 'approve', { remember: 'session' });
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved cache_hit');
    world.gate.usePolicy(policyOf({ more: LISTED, agents: '  coder: { owner: alice }' }));
    expect(await redemptionOf(world, 'p')).toBe('revoked none');
    expect(await outcomeOf(world, bash('q', 'make x'))).toBe('waits');
  });

  test('that was taken back while other calls of its batch waited answers its own call no more', async () => {
    const batch = (proposalId: string, ...commands: string[]) => {
      const calls = commands.map((command, index) => ({ id: `c${index}`, toolName: 'Bash', input: { command } }));
      return { kind: 'tool-call', proposalId, calls };
    };
    const world = new World(policyOf({ more: LISTED }));
    await world.send(bash('given', 'make x'));
    await world.click('given', 'alice', 'approve', { remember: 'session' });
    await world.send(batch('before', 'make x', 'make y'));
    await world.send(batch('after', 'make x', 'make z'));
    await world.click('before', 'bob');
    expect(await heard(world, 'before')).toMatch(/^approved/);
    await operateNow(world, { kind: 'revoke', session: 'main' });
    await world.click('after', 'bob');
    expect(await heard(world, 'after')).toBe('superseded superseded');
  });

  test.each([
    ['holds', DAY_MS, 'approved cache_hit'],
    ['is over', 60_000, 'waits'],
  ])('given from somebody’s seat answers while the delegation %s', async (_, lasts, expected) => {
    const parts = {
      approvers:
        '  platform: { members: [alice, olga], channel: approvals }\n  security: { members: [bob], channel: security }',
    };
    const world = new World(policyOf(parts));
    const until = new Date(world.clock.now() + lasts).toISOString();
    await operateNow(world, { kind: 'delegate', agent: undefined, person: 'alice', to: 'bob', until }, 'owner');
    await world.send(bash('given', 'make x'));
    expect(await world.click('given', 'bob', 'approve', { remember: 'session' })).toMatchObject({ kind: 'counted' });
    await world.clock.advance(120_000);
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe(expected);
  });

  test('given by two answers nothing once one of them may not give it', async () => {
    const stages = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
    const world = new World(policyOf({ approvals: stages, agents: '  coder: { owner: olga, requesters: [alice] }' }));
    await world.send(bash('given', 'make x'));
    for (const who of ['alice', 'bob'] as const) await world.click('given', who, 'approve', { remember: 'session' });
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved cache_hit');
    expect(await outcomeOf(world, bash('q', 'make x', { requester: 'alice' }))).not.toMatch(/^approved/);
  });
});

describe('an operator’s allow rule', () => {
  test('for a parent is none for an agent of theirs, nor for a request in their name', async () => {
    const world = new World(family({ lead: ', requesters: [bob]' }));
    await startHelper(world);
    await operateNow(world, {
      kind: 'add-rule',
      agent: 'lead',
      session: 'main',
      effect: 'allow',
      pattern: 'Bash(make:*)',
    });
    expect(await helped(world)).toBe('approved bubble');
    expect(await outcomeOf(world, bash('own', 'make x', { requester: 'bob' }), 'lead')).toBe('waits');
    world.gate.usePolicy(family({ owner: 'bob' }));
    expect(await helped(world, 'q')).toBe('waits');
  });
});

describe('who became the owner while the question waited', () => {
  const later = policyOf({ more: LISTED, agents: '  coder: { owner: alice }' });

  test('cannot approve it, nor delegate their seat to anybody', async () => {
    const world = new World(policyOf({ more: LISTED }));
    await world.send(bash('p', 'make x'));
    world.gate.usePolicy(later);
    expect(await world.click('p', 'alice')).toMatchObject({ kind: 'refused', refusal: 'owner_cannot_approve' });
    expect(await world.click('p', 'bob')).toMatchObject({ kind: 'counted' });
  });

  test('has not approved it: their earlier vote counts neither when it is decided nor when it is redeemed', async () => {
    const stages = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
    const world = new World(policyOf({ more: LISTED, approvals: stages }));
    await world.send(bash('p', 'make x'));
    await world.click('p', 'alice');
    world.gate.usePolicy(policyOf({ more: LISTED, approvals: stages, agents: '  coder: { owner: alice }' }));
    await world.click('p', 'bob');
    expect(await heard(world, 'p')).toMatch(/^superseded|^error/);

    const other = new World(policyOf({ more: LISTED }));
    await other.send(bash('p', 'make x'));
    await other.click('p', 'alice');
    other.gate.usePolicy(later);
    expect(await redemptionOf(other, 'p')).toBe('revoked none');
  });
});

test('whose yes it was stands in the permit', async () => {
  const world = new World();
  await world.send(bash('p', 'make x'));
  await world.click('p', 'alice');
  expect((await world.decided('p')).calls[0]?.permit?.allowedBy).toEqual({
    people: [{ ...PEOPLE.alice, groups: ['platform'] }],
    folders: { projectRoot: '/workspace', home: '/home/agent' },
  });
});

test.each([
  ['the same one', 'S0PLATFORM', 'approved cache_hit'],
  ['another one, where its giver never voted', 'S0OTHERS', 'waits'],
])('a grant given as one of a Slack user group: the group that is asked now is %s', async (_, group, outcome) => {
  const people: PeopleDirectory = {
    accountStatus: async () => 'member',
    nameOf: async () => undefined,
    membersOf: async () => [PEOPLE.alice, PEOPLE.bob],
  };
  const approversOf = (userGroup: string) => `  platform: { userGroup: ${userGroup}, channel: approvals }`;
  const world = new World(policyOf({ approvers: approversOf('S0PLATFORM') }), { people });
  await world.send(bash('given', 'make x'));
  await world.click('given', 'alice', 'approve', { remember: 'session' });
  if (group !== 'S0PLATFORM')
    world.gate.usePolicy(
      policyOf({
        approvers: `  others: { userGroup: ${group}, channel: approvals }`,
        approvals: '{ approvers: others, timeout: 1h }',
      }),
    );
  expect(await outcomeOf(world, bash('p', 'make x'), 'coder')).toBe(outcome);
});
