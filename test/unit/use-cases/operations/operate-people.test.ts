/** Tests revoking grants by their id, and delegating seats during an absence (D31, D36, A25). */
import { describe, expect, test } from 'vitest';
import type { AskedInSlack } from '../../../../shared/contract/operation.ts';
import { grantsIn } from '../../../../shared/domain/session.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

let operations = 0;
const say = async (world: World, operation: Record<string, unknown>, operator = 'oncall') => {
  world.gate.operateAs(operator, JSON.stringify({ reason: 'a test', operationId: `o${++operations}`, ...operation }));
  await world.rest();
};
type Wanted = AskedInSlack['wanted'];
const ask = async (world: World, who: keyof typeof PEOPLE, wanted: Wanted, more: Partial<AskedInSlack> = {}) => {
  const groups = more.groups ?? [];
  const operationId = more.operationId ?? `s${++operations}`;
  world.gate.askInSlack({ kind: 'asked-in-slack', operationId, person: PEOPLE[who], name: who, groups, wanted });
  await world.rest();
};
const given = async (world: World) => {
  const rows = await world.gate.parts.sessions.list('coder', 10);
  return rows.flatMap((row) => grantsIn(row, world.clock.now()));
};
/** Alice lets exactly `make all` run for the rest of the session. */
const granted = async (world = new World()) => {
  await world.send(bash('p1', 'make all'));
  await world.click('p1', 'alice', 'approve', { remember: 'session' });
  const [one] = await given(world);
  if (!one) throw new Error('nothing was given');
  return { world, id: one.id };
};
const codes = async (world: World) =>
  (await world.look.audit.recent('-operations', 20)).map(({ entry }) => `${entry.reasonCode} ${entry.accepted}`).sort();
const revoking = (grant: string): Wanted => ({ kind: 'revoke', agent: 'coder', session: 'main', grant });
/** A group that Alice is not in. */
const OTHERS = policyOf({
  approvers:
    '  platform: { members: [alice, bob], channel: approvals }\n  security: { members: [olga], channel: security }',
});

describe('what was given for later', () => {
  test('is listed with its scope, who gave it and until when', async () => {
    const { world, id } = await granted();
    expect(await given(world)).toEqual([
      {
        id,
        agent: 'coder',
        sessionId: 'main',
        what: 'call',
        toolName: 'Bash',
        by: 'U0ALICE',
        givenBy: [PEOPLE.alice],
        expiresAt: expect.any(String),
      },
    ]);
    await world.clock.advance(30 * 60_000);
    expect(await given(world)).toEqual([]);
  });

  test.each(['alice', 'bob'] as const)('is taken back by %s: who gave it, or may give the like', async (who) => {
    const { world, id } = await granted();
    await ask(world, who, revoking(id));
    await world.send(bash('p2', 'make all'));
    expect(await world.decision('p2')).toBeUndefined();
    expect(world.slack.notices.some((text) => /^Done: an approval for later of coder/.test(text))).toBe(true);
    const [record] = await world.look.audit.recent('-operations', 1);
    expect(record?.entry).toMatchObject({ reasonCode: 'revoked', accepted: true, person: PEOPLE[who] });
  });

  test('is not taken back by anybody else, whatever groups the message names', async () => {
    const { world, id } = await granted(new World(OTHERS));
    await ask(world, 'stranger', revoking(id), { groups: ['platform'] });
    await ask(world, 'alice', revoking('0'.repeat(12)));
    expect(await codes(world)).toEqual(['may_not_revoke false', 'unknown_grant false']);
    await world.send(bash('p2', 'make all'));
    expect((await world.decided('p2')).outcome).toBe('approved');
    expect(world.slack.notices.filter((text) => text.startsWith('Not done'))).toHaveLength(2);
  });

  test('is taken back once, by one of them and not the others', async () => {
    const { world, id } = await granted();
    await world.send(bash('p3', 'make test'));
    await world.click('p3', 'alice', 'approve', { remember: 'session' });
    await ask(world, 'alice', revoking(id), { operationId: 'same' });
    await world.send(bash('p4', 'make all'));
    await world.click('p4', 'alice', 'approve', { remember: 'session' });
    await ask(world, 'alice', revoking(id), { operationId: 'same' });
    expect((await given(world)).map(({ what }) => what)).toEqual(['call', 'call']);
  });

  test('an operator takes it back by its id, and an allow rule for every session too', async () => {
    const { world, id } = await granted();
    await say(world, { kind: 'revoke', agent: 'coder', session: 'main', grant: id });
    const until = new Date(world.clock.now() + 3_600_000).toISOString();
    const rule = { agent: 'coder', effect: 'allow', pattern: 'Bash(make:*)' };
    await say(world, { kind: 'add-rule', ...rule, until });
    const [always] = await given(world);
    expect(always).toMatchObject({ what: 'rule', pattern: 'Bash(make:*)', toolName: 'Bash' });
    await ask(world, 'alice', { kind: 'revoke', agent: 'coder', grant: always?.id ?? '' });
    expect(await given(world)).toEqual([]);
  });
});

describe('out of office', () => {
  const until = (world: World, hours = 8) => new Date(world.clock.now() + hours * 3_600_000).toISOString();

  test('somebody holds a person’s seat until the stated end', async () => {
    const world = new World(OTHERS);
    await world.send(bash('p1'));
    expect(await world.click('p1', 'olga')).toMatchObject({ refusal: 'owner_cannot_approve' });
    await ask(world, 'olga', { kind: 'delegate', to: PEOPLE.alice, until: until(world) });
    await ask(world, 'alice', { kind: 'delegate', to: PEOPLE.olga, until: until(world) });
    expect(await codes(world)).toEqual(['delegated true', 'delegated true']);
    const told = (words: RegExp) => world.slack.notices.some((text) => words.test(text));
    expect([told(/^Done: .* votes in your place until/), told(/: .* votes in their place until/)]).toEqual([
      true,
      true,
    ]);
    expect(told(/^Done: .* in their place/)).toBe(false);
    // A seat does not make the owner of the agent somebody else.
    expect(await world.click('p1', 'olga')).toMatchObject({ refusal: 'owner_cannot_approve' });
  });

  test('one’s own seat only, to somebody who is listed, for a while', async () => {
    const world = new World(OTHERS);
    const to = PEOPLE.bob;
    await ask(world, 'stranger', { kind: 'delegate', to, until: until(world) });
    await ask(world, 'alice', { kind: 'delegate', to: PEOPLE.alice, until: until(world) });
    await ask(world, 'alice', { kind: 'delegate', to: PEOPLE.stranger, until: until(world) });
    await ask(world, 'alice', { kind: 'delegate', to, until: until(world, -1) });
    await ask(world, 'alice', { kind: 'delegate', to, until: until(world, 91 * 24) });
    await ask(world, 'alice', { kind: 'undelegate' });
    expect(await codes(world)).toEqual([
      'no_delegation false',
      'no_place false',
      'unknown_person false',
      'unknown_person false',
      'until_is_over false',
      'until_is_too_late false',
    ]);
    expect((await world.gate.parts.delegations.read()).delegations).toEqual([]);
  });

  test('operators do it for others, never for themselves; it ends when it is taken back', async () => {
    const security = policyOf({ approvers: '  platform: { members: [alice], channel: approvals }' });
    const world = new World(security);
    await world.send(bash('p1'));
    expect(await world.click('p1', 'bob')).toMatchObject({ refusal: 'not_in_group' });
    await say(world, { kind: 'delegate', person: 'alice', to: 'bob', until: until(world) });
    expect(await world.click('p1', 'bob')).toMatchObject({ refusal: 'not_in_group' });
    await say(world, { kind: 'delegate', person: 'alice', to: 'bob', until: until(world) }, 'owner');
    await say(world, { kind: 'undelegate', person: 'alice' });
    expect(await world.click('p1', 'bob')).toMatchObject({ refusal: 'not_in_group' });
    await say(world, { kind: 'delegate', person: 'alice', to: 'bob', until: until(world) }, 'owner');
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'counted' });
    expect((await world.row('p1')).approval.votes[0]).toMatchObject({ standsFor: PEOPLE.alice, by: PEOPLE.bob });
    expect(await codes(world)).toEqual(['delegated true', 'delegated true', 'own_place false', 'undelegated true']);
  });

  test('one that is delivered again does not undo what came after it', async () => {
    const world = new World();
    const wanted = { kind: 'delegate', to: PEOPLE.bob, until: until(world) } as const;
    await ask(world, 'alice', wanted, { operationId: 'first' });
    await ask(world, 'alice', { kind: 'undelegate' });
    await ask(world, 'alice', wanted, { operationId: 'first' });
    expect((await world.gate.parts.delegations.read()).delegations).toEqual([]);
  });

  test('nobody but the function that verified the request may ask so', async () => {
    const world = new World();
    const asked = {
      kind: 'asked-in-slack',
      person: PEOPLE.alice,
      name: 'alice',
      groups: [],
      wanted: { kind: 'delegate', to: PEOPLE.bob, until: until(world) },
    };
    await say(world, asked);
    await say(world, asked, 'nobody');
    expect(await codes(world)).toEqual(['invalid_operation false', 'unregistered_sender false']);
    expect((await world.gate.parts.delegations.read()).version).toBe(0);
  });
});

test('channels read of an operation who did it, by name, and no code, id or raw JSON', async () => {
  const world = new World();
  const until = new Date(world.clock.now() + 3_600_000).toISOString();
  const pause = { kind: 'pause', scope: { agent: 'coder' }, effect: 'deny', until };
  world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason: 'A release.', ...pause }));
  await world.clock.advance(1);
  expect(world.slack.notices.at(-1)).toBe(
    `Bob (operator oncall): pause every call of the agent coder until ${until}: it is denied. Done. A call that waits for people does not run if they approve it now: it ends, and the agent has to propose it again after the pause. Reason: A release.`,
  );
  world.gate.operateAs(
    'owner',
    JSON.stringify({ operationId: 'o2', reason: 'Away.', kind: 'delegate', person: 'alice', to: 'bob', until }),
  );
  await world.clock.advance(1);
  expect(world.slack.notices.at(-1)).toBe(
    `Olga (operator owner): Bob votes in the place of Alice until ${until}. Done. Reason: Away.`,
  );
  for (const text of world.slack.notices) expect(text).not.toMatch(/→|[{}"]|U0[A-Z]/);
});
