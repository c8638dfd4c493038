/**
 * Checks that nobody approves for the people whom a session works for (G19, D52).
 *
 * Such people are the owners of the agents above it, and those in whose names it was started.
 */
import { describe, expect, test } from 'vitest';
import { MAX_STARTED_FOR } from '../../../../shared/contract/index.ts';
import { pendingFor } from '../../../../shared/use-cases/approvals/voting/pending-for.ts';
import { heard, LISTED, operateNow, outcomeOf, redemptionOf } from '../giving-steps.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const HELPER = { agentId: 'helper', sessionId: 'h' };

interface Owners {
  readonly top?: string;
  readonly lead?: string;
  readonly helper?: string;
  readonly mode?: string;
}

/** `top` starts sessions of `lead`, which starts sessions of `helper`. */
const tower = ({ top = 'olga', lead = 'olga', helper = 'olga', mode = 'bubble' }: Owners = {}, approvals?: string) =>
  policyOf({
    more: LISTED,
    agents: `  top: { owner: ${top}, requesters: [alice, bob] }
  lead: { owner: ${lead}, mode: ${mode}, parents: [top], requesters: [alice, bob] }
  helper: { owner: ${helper}, mode: ${mode}, parents: [lead] }`,
    ...(approvals ? { approvals } : {}),
  });

async function started(owners: Owners = {}, requester?: string): Promise<World> {
  const world = new World(tower(owners));
  const name = requester ? { requester } : {};
  await world.send(bash('s', 'git status', { ...name, starts: { agentId: 'lead', sessionId: 'm' } }), { agent: 'top' });
  await world.send(bash('t', 'git status', { sessionId: 'm', starts: HELPER }), { agent: 'lead' });
  return world;
}
const ask = (world: World, id = 'p', sessionId = 'h') => outcomeOf(world, bash(id, 'make x', { sessionId }), 'helper');
const click = (world: World, who: 'alice' | 'bob', more = {}, id = 'p') =>
  world.click(id, who, 'approve', { agent: 'helper', ...more });

const OWNED: readonly (keyof Owners)[] = ['top', 'lead', 'helper'];
const SESSIONS = { 'that was started': 'h', 'that nobody started': 'other' };
const cases = OWNED.flatMap((agent) =>
  Object.entries(SESSIONS).flatMap(([which, sessionId]) =>
    ['bubble', 'default'].map((mode) => [agent, which, mode, sessionId] as const),
  ),
);

describe.each(cases)('the owner of %s and a call of helper, in a session %s, mode %s', (agent, _, mode, sessionId) => {
  const owners = { [agent]: 'alice', mode };

  test('cannot approve it, nor take a seat, nor give theirs away', async () => {
    const world = await started(owners);
    expect(await ask(world, 'p', sessionId)).toBe('waits');
    expect(await click(world, 'alice')).toMatchObject({ refusal: 'owner_cannot_approve' });
    expect(await world.passOn('p', 'bob', 'alice', 'helper')).toMatchObject({ refusal: 'unknown_person' });
    const who = { person: PEOPLE.alice, isBot: false };
    const { approval } = await world.row('p', 'helper');
    expect(await pendingFor(who, [approval], world.gate.parts)).toEqual([]);
    expect(await click(world, 'bob')).toMatchObject({ kind: 'counted' });
    expect(await redemptionOf(world, 'p', { agent: 'helper' })).toBe('granted');
  });

  test('who became it since the vote has not approved it, and what they gave for later answers nothing', async () => {
    const world = await started({ mode });
    await ask(world, 'p', sessionId);
    await click(world, 'alice', { remember: 'session' });
    expect(await ask(world, 'q', sessionId)).toBe('approved cache_hit');
    world.gate.usePolicy(tower(owners));
    expect(await redemptionOf(world, 'p', { agent: 'helper' })).toBe('revoked none');
    expect(await redemptionOf(world, 'q', { agent: 'helper' })).toBe('revoked none');
    expect(await ask(world, 'r', sessionId)).toBe('waits');
  });

  test('who becomes it between vote and decision has not approved it', async () => {
    const two = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
    const world = new World(tower({ mode }, two));
    expect(await ask(world, 'p', sessionId)).toBe('waits');
    await click(world, 'alice');
    world.gate.usePolicy(tower(owners, two));
    await click(world, 'bob');
    expect(await heard(world, 'p', 'helper')).not.toMatch(/^approved/);
  });

  test('allows nothing to it as an operator', async () => {
    const world = new World(tower({ [agent]: 'bob', mode }));
    const rule = { kind: 'add-rule', agent: 'helper', effect: 'allow', pattern: 'Bash(make:*)', session: sessionId };
    expect(await operateNow(world, rule)).toContain('own_agent');
    world.gate.usePolicy(tower({ mode }));
    expect(await operateNow(world, rule)).not.toContain('own_agent');
    expect(await ask(world, 'p', sessionId)).toMatch(/^approved|^waits/);
    world.gate.usePolicy(tower({ [agent]: 'bob', mode }));
    expect(await ask(world, 'q', sessionId)).toBe('waits');
  });
});

describe('a person in whose name a session was started', () => {
  test.each(['bubble', 'default'])('cannot approve what is done in it or below it, in mode %s', async (mode) => {
    const world = await started({ mode }, 'alice');
    await ask(world);
    expect(await click(world, 'alice')).toMatchObject({ refusal: 'requester_cannot_approve' });
    expect(await click(world, 'bob')).toMatchObject({ kind: 'counted' });
    await world.send(bash('m', 'make y', { sessionId: 'm' }), { agent: 'lead' });
    expect(await world.click('m', 'alice', 'approve', { agent: 'lead' })).toMatchObject({ kind: 'refused' });
  });

  test('is not forgotten when others start it as well', async () => {
    const world = await started();
    for (const requester of ['alice', 'bob'])
      await world.send(bash(`again-${requester}`, 'git status', { sessionId: 'm', requester, starts: HELPER }), {
        agent: 'lead',
      });
    expect(await ask(world)).toBe('error no_approvers');
  });

  test('gave nothing for later that answers its calls', async () => {
    const world = await started();
    await ask(world);
    await click(world, 'alice', { remember: 'session' });
    expect(await ask(world, 'q')).toBe('approved cache_hit');
    await world.send(bash('again', 'git status', { sessionId: 'm', requester: 'alice', starts: HELPER }), {
      agent: 'lead',
    });
    expect(await ask(world, 'r')).toBe('waits');
  });

  test('is the one too many: a session takes no more of them than it can name', async () => {
    const world = await started();
    const sessions = world.gate.parts.sessions;
    const row = await sessions.read('helper', 'h');
    if (!row) throw new Error('the session was not started');
    const startedFor = Array.from({ length: MAX_STARTED_FOR }, (_, index) => ({ team: 'T0DEMO', user: `U${index}` }));
    await sessions.write({ ...row, version: row.version + 1, startedFor });
    const again = bash('again', 'git status', { sessionId: 'm', requester: 'alice', starts: HELPER });
    expect(await outcomeOf(world, again, 'lead')).toBe('error session_has_too_many_requesters');
  });
});

test('an approval for later ends when an agent above asks others than it did', async () => {
  const world = await started();
  await ask(world);
  await click(world, 'alice', { remember: 'session' });
  expect(await ask(world, 'q')).toBe('approved cache_hit');
  const document = tower();
  const { lead, ...agents } = document.policy.agents;
  if (!lead) throw new Error('the file lists no lead');
  const changed = { ...agents, lead: { ...lead, approvers: 'security' } };
  world.gate.usePolicy({ ...document, policy: { ...document.policy, agents: changed } });
  expect(await redemptionOf(world, 'q', { agent: 'helper' })).toBe('revoked none');
  expect(await ask(world, 'r')).toBe('waits');
});

test('an allow rule counts while its operator is one', async () => {
  const world = new World(tower());
  const rule = { kind: 'add-rule', agent: 'top', effect: 'allow', pattern: 'Bash(make:*)', session: 'main' };
  await operateNow(world, rule);
  const send = (id: string) => outcomeOf(world, bash(id, 'make x'), 'top');
  expect(await send('p')).toBe('approved rule_match');
  const document = tower();
  const { oncall: _, ...operators } = document.policy.operators;
  world.gate.usePolicy({ ...document, policy: { ...document.policy, operators } });
  expect(await redemptionOf(world, 'p', { agent: 'top' })).toBe('revoked none');
  expect(await send('q')).toBe('waits');
});

test('sessions that start each other in a circle belong to all of them', async () => {
  const agents = `  left: { owner: alice, parents: [right] }\n  right: { owner: bob, parents: [left] }`;
  const world = new World(policyOf({ more: LISTED, agents }));
  const starting = (agent: string, other: string) =>
    world.send(bash(`s-${agent}`, 'git status', { starts: { agentId: other, sessionId: 'main' } }), { agent });
  await starting('left', 'right');
  await starting('right', 'left');
  await world.send(bash('p', 'make x'), { agent: 'left' });
  for (const who of ['alice', 'bob'] as const)
    expect(await world.click('p', who, 'approve', { agent: 'left' })).toMatchObject({
      refusal: 'owner_cannot_approve',
    });
});
