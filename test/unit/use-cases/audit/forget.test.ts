/** Tests that a person is taken out of the record for good, and that nobody else is. */
import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../../../shared/contract/index.ts';
import { redeemed } from '../running.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';
import { ALIASES, aliasIn, ordinaryDay, recorded, TWO_WITH_ALIASES, TWO_WITH_IDS } from './aliases.ts';

/** Alice has left. */
const LEFT = policyOf({ more: ALIASES, withoutAlice: true });

let operations = 0;
/** The result, as the record has it. */
async function forget(
  world: World,
  person = 'U0ALICE',
  { operationId = `forget-${++operations}`, operator = 'oncall', reason = 'U0ALICE left' } = {},
): Promise<AuditEntry> {
  await world.clock.advance(1_000);
  world.gate.operateAs(operator, JSON.stringify({ kind: 'forget', operationId, person, reason }));
  await world.rest();
  const [record] = await world.look.audit.recent('-operations', 1);
  if (!record) throw new Error('nothing is recorded');
  return record.entry;
}
const afterOneDay = async (policy = TWO_WITH_ALIASES) => {
  const world = new World(policy);
  await ordinaryDay(world);
  world.gate.usePolicy(LEFT);
  return world;
};
/** Nothing is remembered of secrets any more. */
const later = (world: World) => world.clock.advance(10 * 60_000);

describe('a person who is forgotten', () => {
  test('cannot be told from the record: no entry changed, and none names them', async () => {
    const world = await afterOneDay();
    const alias = await aliasIn(world, 'U0ALICE');
    const before = recorded(world);
    const entry = await forget(world);
    expect(entry).toMatchObject({
      accepted: true,
      reasonCode: 'forgotten',
      operation: { person: alias, stillNamed: 0 },
    });
    expect(recorded(world)).toContain(before.slice(2, -2));
    expect(recorded(world)).not.toMatch(/U0ALICE|Alice/);
    await later(world);
    const { audit, state } = world.gate.parts;
    expect(JSON.stringify([...state.aliasKeys])).not.toContain('U0ALICE');
    const [vote, other] = await audit.ofFamily('coder', world.pid('yes'), 'vote');
    expect([vote?.entry.person?.user, other?.entry.person?.user]).toEqual([alias, 'U0BOB']);
    expect((await audit.find({ agents: ['coder', '-operations'], person: 'U0ALICE', limit: 10 })).records).toEqual([]);
    expect((await audit.find({ agents: ['coder'], person: alias, limit: 50 })).records.length).toBeGreaterThan(3);
  });

  test('stays in no channel and in no operation by the id, whatever the reason says', async () => {
    const world = await afterOneDay();
    const entry = await forget(world, 'U0ALICE', { reason: 'U0ALICE asked for it' });
    expect(JSON.stringify(entry)).not.toContain('U0ALICE');
    expect(world.slack.notices.at(-1)).toContain('out of the record');
    expect(world.slack.notices.at(-1)).not.toMatch(/U0ALICE|Alice/);
  });

  test('is told to be named by entries from before there were aliases, and until when', async () => {
    const world = await afterOneDay(TWO_WITH_IDS);
    await world.send(bash('since'));
    await world.click('since', 'bob');
    const entry = await forget(world);
    expect(entry).toMatchObject({ accepted: true, reasonCode: 'forgotten_since_aliases' });
    const { stillNamed, stillNamedUntil = '' } = entry.operation ?? {};
    const { records } = await world.gate.parts.audit.find({
      agents: ['coder', 'writer', '-operations', '-clicks'],
      person: 'U0ALICE',
      limit: 100,
    });
    expect(records).toHaveLength(stillNamed ?? 0);
    const newest = Math.max(...records.map((one) => Date.parse(one.entry.recordedAt)));
    expect(Date.parse(stillNamedUntil) - newest).toBe(400 * 24 * 60 * 60 * 1000);
  });

  test('is forgotten also where an entry about them cannot be read, as of a newer release: it counts', async () => {
    const world = await afterOneDay();
    const [vote] = await world.gate.parts.audit.ofFamily('coder', world.pid('yes'), 'vote');
    if (!vote) throw new Error('nobody voted');
    const key = { ...vote.key, sort: 'vote#later' };
    const person = { team: 'T0DEMO', user: 'U0ALICE' };
    const decidedBy = { type: 'a kind of the next release', id: 'x' } as never;
    await world.look.audit.put({ ...vote, key, entry: { ...vote.entry, person, decidedBy } });
    expect(await forget(world)).toMatchObject({
      accepted: true,
      reasonCode: 'forgotten_since_aliases',
      operation: { stillNamed: 1 },
    });
  });

  test('has no delegation any more, and none comes back with a message that is late', async () => {
    const world = await afterOneDay();
    expect((await world.gate.parts.delegations.read()).delegations).toHaveLength(1);
    await world.clock.advance(1_000);
    await forget(world);
    expect(JSON.stringify(await world.gate.parts.delegations.read())).not.toContain('U0ALICE');
    world.gate.usePolicy(TWO_WITH_ALIASES);
    const sentAt = new Date(world.clock.now() - 500).toISOString();
    const until = new Date(world.clock.now() + 3_600_000).toISOString();
    const late = { kind: 'delegate', operationId: 'late', person: 'alice', to: 'bob', until, reason: 'late', sentAt };
    world.gate.operateAs('owner', JSON.stringify(late));
    await world.rest();
    const [record] = await world.look.audit.recent('-operations', 1);
    expect(record?.entry).toMatchObject({ accepted: false, reasonCode: 'superseded' });
  });

  test('is forgotten again by the same message, and nobody else by the same operation id', async () => {
    const world = await afterOneDay();
    await forget(world, 'U0ALICE', { operationId: 'once' });
    expect(await forget(world, 'U0ALICE', { operationId: 'once' })).toMatchObject({
      reasonCode: 'forgotten',
      accepted: true,
    });
    const bob = await aliasIn(world, 'U0BOB');
    expect(await forget(world, 'U0BOB', { operationId: 'once' })).toMatchObject({ reasonCode: 'still_listed' });
    await later(world);
    expect(await aliasIn(world, 'U0BOB')).toBe(bob);
  });

  test.each(['before', 'after'] as const)(
    'is forgotten whole, whichever call of the operation fails %s its effect',
    async (when) => {
      let played = 0;
      for (let at = 1; ; at++) {
        const { world, failed } = await failingAt(at, when);
        const [record] = await world.look.audit.recent('-operations', 1);
        expect(record?.entry, failed).toMatchObject({ accepted: true, reasonCode: 'forgotten' });
        expect(JSON.stringify([...world.gate.parts.state.aliasKeys]), failed).not.toContain('U0ALICE');
        expect(JSON.stringify(await world.gate.parts.delegations.read()), failed).not.toContain('U0ALICE');
        expect(recorded(world), failed).not.toMatch(/U0ALICE|Alice/);
        if (failed === undefined) break;
        played = at;
      }
      expect(played).toBeGreaterThan(6);
    },
  );

  test('takes permits along that rest on their vote, without an alarm on the record', async () => {
    const rules = { ask: ['Refund'], allow: [], more: `tools: { Refund: { permissions: [Sensitive] } }\n${ALIASES}` };
    const world = new World(policyOf(rules));
    await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'Refund', input: { order: 7 } });
    await world.click('p1', 'alice');
    await world.click('p1', 'bob');
    const call = await callOf(world);
    world.gate.usePolicy(policyOf({ ...rules, withoutAlice: true }));
    await forget(world);
    await later(world);
    const answer = await redeemed(world, call);
    expect(answer).toMatchObject({ granted: false, permit: 'none', error: { code: 'revoked' } });
  });

  test('who comes again has another alias, which the next operation makes nobody’s too', async () => {
    const world = await afterOneDay();
    const old = await aliasIn(world, 'U0ALICE');
    await forget(world);
    await later(world);
    await world.send(bash('next'));
    expect(await world.click('next', 'alice')).toMatchObject({ kind: 'refused' });
    expect(await aliasIn(world, 'U0ALICE')).not.toBe(old);
    expect(await forget(world)).toMatchObject({ reasonCode: 'forgotten', accepted: true });
  });
});

describe('nobody is forgotten', () => {
  test('whom the policy file lists: an approver, or the operator who asks', async () => {
    const world = new World(TWO_WITH_ALIASES);
    await ordinaryDay(world);
    for (const person of ['U0ALICE', 'U0BOB'])
      expect(await forget(world, person)).toMatchObject({ accepted: false, reasonCode: 'still_listed' });
    expect(recorded(world)).not.toContain('U0ALICE');
  });

  test('whom nothing names, or while the record names people by ids', async () => {
    const world = await afterOneDay();
    expect(await forget(world, 'U0NOBODY')).toMatchObject({ accepted: false, reasonCode: 'nobody_named' });
    expect(recorded(world)).not.toContain('U0NOBODY');
    world.gate.usePolicy(policyOf({ withoutAlice: true }));
    expect(await forget(world)).toMatchObject({ accepted: false, reasonCode: 'no_aliases' });
  });

  test('by a name of the policy file, or by anybody but an operator', async () => {
    const world = await afterOneDay();
    const entry = await forget(world, 'alice');
    expect(entry).toMatchObject({ accepted: false, reasonCode: 'invalid_operation' });
    expect(entry.operation?.problem).toContain('Slack id');
    expect(await forget(world, 'U0ALICE', { operator: 'nobody' })).toMatchObject({ accepted: false });
  });

  test('who is barred as a requester: a session that was started for somebody keeps who that was', async () => {
    const agents = (without: boolean) => `  top: { owner: olga, requesters: [${without ? 'bob' : 'alice, bob'}] }
  coder: { owner: olga, mode: bubble, parents: [top] }`;
    const policyFor = (without: boolean) =>
      policyOf({ agents: agents(without), more: ALIASES, ...(without ? { withoutAlice: true } : {}) });
    const world = new World(policyFor(false));
    const starts = { agentId: 'coder', sessionId: 'm' };
    await world.send(bash('s', 'git status', { requester: 'alice', starts }), { agent: 'top' });
    await world.send(bash('other'));
    await world.click('other', 'alice');
    world.gate.usePolicy(policyFor(true));
    expect(await forget(world)).toMatchObject({ reasonCode: 'forgotten', accepted: true });
    expect((await world.gate.parts.sessions.read('coder', 'm'))?.startedFor).toEqual([PEOPLE.alice]);
    await later(world);
    world.gate.usePolicy(policyFor(false));
    await world.send(bash('p', 'git push origin main', { sessionId: 'm' }));
    expect(await world.click('p', 'alice')).toMatchObject({ kind: 'refused', refusal: 'requester_cannot_approve' });
  });
});

async function callOf(world: World) {
  const decision = await world.decided('p1');
  const [call] = decision.calls;
  if (!call?.permit) throw new Error(`not approved: ${decision.message}`);
  const { permitId } = call.permit;
  return { agent: 'coder', proposalId: 'p1', callId: call.id, permitId, toolName: 'Refund', input: { order: 7 } };
}

/** A gate that forgets Alice; the call of that number fails once, and its message comes again. */
async function failingAt(at: number, when: 'before' | 'after') {
  let calls = Number.NEGATIVE_INFINITY;
  let failed: string | undefined;
  const wrap = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          calls += 1;
          if (calls !== at) return value.apply(target, args);
          failed = `${when} ${name}.${String(key)}`;
          const fault = () => Promise.reject(new Error(failed));
          return when === 'after' ? Promise.resolve(value.apply(target, args)).then(fault) : fault();
        };
      },
    });
  const world = new World(TWO_WITH_ALIASES, { wrap });
  await ordinaryDay(world);
  world.gate.usePolicy(LEFT);
  await world.clock.advance(1_000);
  calls = 0;
  const operation = { kind: 'forget', operationId: 'failing', person: 'U0ALICE', reason: 'left' };
  world.gate.operateAs('oncall', JSON.stringify(operation));
  await world.clock.advance(10 * 60_000);
  calls = Number.NEGATIVE_INFINITY;
  return { world, failed };
}
