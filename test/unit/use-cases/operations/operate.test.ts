/**
 * Checks break-glass votes and pauses of operators (A5).
 *
 * Both are always on the record and announced, and give no more than a person's rights.
 */
import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../../../shared/contract/index.ts';
import { bash, policyOf, World } from '../world.ts';

const deciding = (choice: 'approve' | 'reject', more: object = {}) =>
  JSON.stringify({
    kind: 'decide',
    operationId: 'o1',
    agent: 'coder',
    proposalId: 'p1',
    choice,
    reason: 'Slack is down',
    ...more,
  });
const pausing = (effect: string, operationId: string) =>
  JSON.stringify({ kind: 'pause', operationId, scope: { all: true }, effect, reason: 'drill' });

async function operated(world: World, operator: string, raw: string): Promise<AuditEntry[]> {
  world.gate.operateAs(operator, raw);
  await world.rest();
  return operations(world);
}

async function operations(world: World): Promise<AuditEntry[]> {
  return (await world.look.audit.recent('-operations', 100)).map(({ entry }) => entry);
}

describe('a decision by an operator', () => {
  test.each([
    ['approve', 'approved'],
    ['reject', 'denied'],
  ] as const)('to %s counts as the vote of that person, and is announced', async (choice, outcome) => {
    const world = new World();
    await world.send(bash('p1'));
    const entries = await operated(world, 'oncall', deciding(choice));
    expect(await world.decided('p1')).toMatchObject({ outcome, decidedBy: { type: 'human', id: 'T0DEMO/U0BOB' } });
    expect((await world.row('p1')).approval.votes).toMatchObject([{ via: 'operators', by: { user: 'U0BOB' } }]);
    expect(entries).toMatchObject([{ type: 'operation', accepted: true, reasonCode: `vote_${choice}` }]);
    expect(world.slack.notices).toEqual(Array(2).fill(expect.stringContaining('Slack is down')));
  });

  test('of the owner of the agent is refused, audited and announced (A5, G19)', async () => {
    const world = new World();
    await world.send(bash('p1'));
    const entries = await operated(world, 'owner', deciding('approve'));
    expect(entries).toMatchObject([{ accepted: false, reasonCode: 'owner_cannot_approve' }]);
    expect(await world.decision('p1')).toBeUndefined();
    expect(world.slack.notices[0]).toContain('Not done. Owner cannot approve.');
  });

  test('of somebody outside the group is refused', async () => {
    const world = new World(policyOf({ approvers: '  platform: { members: [alice], channel: approvals }' }));
    await world.send(bash('p1'));
    expect(await operated(world, 'oncall', deciding('approve'))).toMatchObject([{ reasonCode: 'not_in_group' }]);
  });

  test('about what does not wait is refused', async () => {
    const world = new World();
    await world.send(bash('p1', 'rm x'));
    expect(await operated(world, 'oncall', deciding('approve'))).toMatchObject([
      { accepted: false, reasonCode: 'unknown_approval' },
    ]);
    expect((await world.decided('p1')).outcome).toBe('denied');
  });

  test('never lifts a deny', async () => {
    const world = new World();
    await world.send(bash('p1'));
    world.gate.usePolicy(policyOf({ deny: ["'Bash(git push:*)'"] }));
    await operated(world, 'oncall', deciding('approve'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
  });
});

test('a pause that people’s approval meets is told as a pause, not as a change of the policy', async () => {
  const world = new World();
  await world.send(bash('p1'));
  await operated(world, 'oncall', pausing('deny', 'o1'));
  await world.click('p1', 'alice');
  const decision = await world.decided('p1');
  expect(decision.calls).toMatchObject([{ outcome: 'denied', reasonCode: 'paused' }]);
  expect(decision).toMatchObject({ outcome: 'denied', reasonCode: 'paused' });
  expect(decision.calls[0]?.message).toContain('People approved this, but an operator paused it');
});

describe('who is not an operator', () => {
  test.each(['nobody', '../../agents/coder', ''])('%s is refused and audited, and nothing changes', async (name) => {
    const world = new World();
    const entries = await operated(world, name, pausing('deny', 'o1'));
    expect(entries).toMatchObject([{ accepted: false, reasonCode: 'unregistered_sender' }]);
    expect(await world.look.control.read()).toMatchObject({ version: 0, pauses: [] });
  });

  test.each(['pause', 'decide'])(
    'an operator that is registered, but not in the policy file, may not %s',
    async (what) => {
      const world = new World();
      await world.send(bash('p1'));
      const registered = { nameOf: async () => 'former' };
      const { performOperation: operate } = await import(
        '../../../../shared/use-cases/operations/perform-operation.ts'
      );
      const raw = what === 'pause' ? pausing('deny', 'o1') : deciding('approve');
      const gate = Object.create(world.gate.parts, { operators: { value: registered } }) as typeof world.gate.parts;
      await operate({ messageId: 'm1', raw, principal: 'AROAFORMER', sentAt: world.clock.now() }, gate);
      expect(await operations(world)).toMatchObject([{ accepted: false, reasonCode: 'unregistered_sender' }]);
      expect((await world.look.control.read()).pauses).toEqual([]);
      expect(await world.decision('p1')).toBeUndefined();
    },
  );
});

describe('what an operator cannot be understood to say is audited and changes nothing', () => {
  test.each([
    ['not JSON', 'stop!'],
    ['an unknown kind', '{"kind":"explode","operationId":"o1","reason":"x"}'],
    ['no reason', '{"kind":"pause","operationId":"o1","scope":{"all":true},"effect":"deny","reason":""}'],
    [
      'two scopes',
      '{"kind":"pause","operationId":"o1","scope":{"all":true,"tool":"Bash"},"effect":"deny","reason":"x"}',
    ],
    [
      'a key twice',
      '{"kind":"pause","operationId":"o1","operationId":"o2","scope":{"all":true},"effect":"deny","reason":"x"}',
    ],
    [
      'a time that is none',
      '{"kind":"pause","operationId":"o1","scope":{"all":true},"effect":"deny","reason":"x","until":"soon"}',
    ],
  ])('%s', async (_, raw) => {
    const world = new World();
    expect(await operated(world, 'oncall', raw)).toMatchObject([
      { accepted: false, reasonCode: 'invalid_operation', detail: expect.stringMatching(/./) },
    ]);
    expect((await world.look.control.read()).version).toBe(0);
  });
});

test('two operators at once both get their pause', async () => {
  const world = new World();
  world.gate.operateAs('oncall', JSON.stringify({ ...JSON.parse(pausing('deny', 'o1')), scope: { tool: 'Bash' } }));
  world.gate.operateAs('owner', JSON.stringify({ ...JSON.parse(pausing('ask', 'o2')), scope: { agent: 'coder' } }));
  await world.rest();
  expect((await world.look.control.read()).pauses).toHaveLength(2);
});

test('an operation delivered twice is done once: a late copy of a lift does not undo a newer pause', async () => {
  const world = new World();
  await operated(world, 'oncall', pausing('deny', 'o1'));
  await operated(world, 'oncall', pausing('lift', 'o2'));
  await operated(world, 'oncall', pausing('deny', 'o3'));
  await operated(world, 'oncall', pausing('lift', 'o2'));
  expect((await world.look.control.read()).pauses).toHaveLength(1);
});

test('a vote by an operator whose run stopped before it was noted is noted as what it was', async () => {
  const world = new World();
  await world.send(bash('p1'));
  await world.click('p1', 'bob', 'approve', { via: 'operators' });
  expect(await operated(world, 'oncall', deciding('approve'))).toMatchObject([
    { accepted: true, reasonCode: 'vote_approve' },
  ]);
});

test('a vote by an operator is noted as what it was when its message comes out of the dead letters, by the time that it states', async () => {
  const world = new World();
  await world.send(bash('p1'));
  const sentAt = new Date(world.clock.now()).toISOString();
  await world.clock.advance(5_000);
  await world.click('p1', 'bob', 'approve', { via: 'operators' });
  await world.clock.advance(60 * 60_000);
  expect(await operated(world, 'oncall', deciding('approve', { sentAt }))).toMatchObject([
    { accepted: true, reasonCode: 'vote_approve' },
  ]);
});

test('a further vote of an operator on what their first one decided is refused, and not noted as done', async () => {
  const world = new World();
  await world.send(bash('p1'));
  await operated(world, 'oncall', deciding('approve'));
  await world.clock.advance(5_000);
  const entries = await operated(world, 'oncall', deciding('approve', { operationId: 'o2' }));
  expect(entries).toMatchObject([{ accepted: false, reasonCode: 'already_decided' }, { accepted: true }]);
});

test('a pause that ends before the one that stands, or stops less, says so where everybody reads it', async () => {
  const world = new World();
  const pause = (operationId: string, effect: string, until?: string) =>
    JSON.stringify({
      ...(JSON.parse(pausing(effect, operationId)) as object),
      ...(until === undefined ? {} : { until }),
    });
  await operated(world, 'oncall', pause('o1', 'deny'));
  await operated(world, 'oncall', pause('o2', 'deny', '2026-11-21T12:00:00Z'));
  expect(world.slack.notices.at(-1)).toContain('Without this, it would be denied until somebody lifts it.');
  await operated(world, 'oncall', pause('o3', 'ask', '2026-11-21T13:00:00Z'));
  expect(world.slack.notices.at(-1)).toContain('Without this, it would be denied until 2026-11-21T12:00:00.000Z.');
  await operated(world, 'oncall', pause('o4', 'deny', '2026-11-21T14:00:00Z'));
  await operated(world, 'oncall', pause('o5', 'lift'));
  expect(world.slack.notices.slice(-4).join(' ')).not.toContain('Without this');
});
