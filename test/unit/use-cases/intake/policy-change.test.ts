/** Checks changes while an approval waits: the policy, the agents, the brake (A17, A18). */
import { describe, expect, test } from 'vitest';
import type { PauseOperation } from '../../../../shared/contract/operation.ts';
import { bash, PEOPLE, type PolicyParts, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const ONE = '{ approvers: platform, timeout: 1h }';
const twoOf = (more = '') => `{ stages: [{ group: platform, quorum: 2${more && `, ${more}`} }], timeout: 1h }`;
const groupOf = (members: string, channel = 'approvals') =>
  `  platform: { members: [${members}], channel: ${channel} }\n  security: { members: [bob], channel: security }`;

async function approvedUnder(parts: PolicyParts): Promise<World> {
  const world = new World();
  await world.send(bash('p1'));
  world.gate.usePolicy(policyOf(parts));
  await world.click('p1', 'alice');
  return world;
}

describe('a policy that changed while people were asked (A17)', () => {
  test('denied now: denied, policy_changed, and the message says that people had approved', async () => {
    const world = await approvedUnder({ deny: ["'Bash(git push:*)'"] });
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed', decidedBy: { type: 'rule' } });
    expect(decision.calls[0]).not.toHaveProperty('permit');
  });

  test.each([
    ['a rule elsewhere', { deny: ["'Bash(rm:*)'", "'Bash(dd:*)'"] }],
    ['another time-out', { approvals: '{ approvers: platform, timeout: 2h }' }],
    ['allowed now', { ask: [], allow: ["'Bash(git push:*)'"] }],
  ])('with equal stages the votes count: %s', async (_, parts) => {
    const world = await approvedUnder(parts);
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
    expect(decision.policyVersion).toBe(policyOf(parts).policyVersion);
    expect((await world.row('p1')).approval.policyVersion).toBe(policyOf().policyVersion);
  });

  test.each([
    ['another group', { ask: ["{ rule: 'Bash(git push:*)', approvers: security }"] }],
    [
      'other people in the group',
      {
        approvers:
          '  platform: { members: [alice], channel: approvals }\n  security: { members: [bob], channel: security }',
      },
    ],
  ])('with other stages it is superseded: %s', async (_, parts) => {
    const world = await approvedUnder(parts);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'superseded' });
  });

  test.each<[string, PolicyParts, string]>([
    ['another channel', { approvers: groupOf('alice, bob, olga', 'security') }, 'approved'],
    ['a time-out of the stage that is over', { approvals: twoOf('timeout: 5m') }, 'approved'],
    ['a smaller quorum', { approvals: ONE }, 'superseded'],
    ['without the one who voted', { approvers: groupOf('bob, olga'), approvals: ONE }, 'superseded'],
    ['a rule that denies', { deny: ["'Bash(git push:*)'"] }, 'denied'],
  ])('a vote that stands, and a second one after the change: %s', async (_, parts, outcome) => {
    const world = new World(policyOf({ approvals: twoOf() }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    world.gate.usePolicy(policyOf({ approvals: twoOf(), ...parts }));
    await world.clock.advance(16 * MINUTE);
    expect((await world.row('p1')).approval).toMatchObject({ status: 'pending', votes: [{ by: PEOPLE.alice }] });
    await world.click('p1', 'bob');
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome });
    expect(decision.calls.filter(({ permit }) => permit)).toHaveLength(outcome === 'approved' ? 1 : 0);
    expect([...world.slack.cards.keys()].map((key) => key.split('#')[0])).toEqual(['C0APPROVALS']);
  });

  test('the card tells people of it, and quotes nothing that is for the agent', async () => {
    const world = await approvedUnder({ ask: ["{ rule: 'Bash(git push:*)', approvers: security }"] });
    await world.decided('p1');
    const shown = () => JSON.stringify([...world.slack.cards.values()]);
    expect(shown()).toContain('Not run: the policy changed while this waited');
    expect(shown()).toContain('the agent has to propose it anew');
    expect(shown()).not.toContain('under a new id');
  });

  test('somebody who left the group may not vote any more', async () => {
    const world = new World();
    await world.send(bash('p1'));
    world.gate.usePolicy(
      policyOf({
        approvers:
          '  platform: { members: [bob], channel: approvals }\n  security: { members: [bob], channel: security }',
      }),
    );
    expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'not_in_group' });
  });

  test('two people needed now: superseded, never an approval by one', async () => {
    const world = await approvedUnder({ ask: ["{ rule: 'Bash(git push:*)', severity: high }"] });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'superseded', reasonCode: 'superseded' });
  });

  test('supersedes the questions of an agent that it removed', async () => {
    const world = await approvedUnder({ agents: '  writer: { owner: olga }' });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'superseded' });
  });

  test.each([
    ['rejected', 'reject'],
    ['cancelled', 'cancel'],
    ['expired', 'expire'],
  ] as const)(
    'what was %s stays what people or time made of it, though the policy denies it now',
    async (ended, how) => {
      const world = new World();
      await world.send(bash('p1'));
      world.gate.usePolicy(policyOf({ deny: ["'Bash(git push:*)'"] }));
      if (how === 'reject') await world.click('p1', 'alice', 'reject');
      else if (how === 'cancel') await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
      else await world.clock.advance(65 * MINUTE);
      expect(await world.decided('p1')).toMatchObject({
        outcome: how === 'reject' ? 'denied' : ended,
        reasonCode: ended,
      });
    },
  );
});

describe('the emergency brake (A18)', () => {
  let operations = 0;
  const pausing = (scope: PauseOperation['scope'], effect: PauseOperation['effect'], more: object = {}) =>
    JSON.stringify({ kind: 'pause', operationId: `o${++operations}`, scope, effect, reason: 'incident 7', ...more });
  const paused = async (...args: Parameters<typeof pausing>): Promise<World> => {
    const world = new World();
    world.gate.operateAs('oncall', pausing(...args));
    await world.rest();
    return world;
  };

  test.each([
    ['everything', { all: true as const }],
    ['the agent', { agent: 'coder' }],
    ['the tool', { tool: 'Bash' }],
  ])('denies what a rule allows: %s', async (_, scope) => {
    const world = await paused(scope, 'deny');
    await world.send(bash('p1', 'git status'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'paused' });
    expect((await world.decided('p1')).message).toContain('incident 7');
  });

  test.each([
    ['another agent', { agent: 'writer' }],
    ['another tool', { tool: 'Read' }],
  ])('leaves the rest alone: %s is paused', async (_, scope) => {
    const world = await paused(scope, 'deny');
    await world.send(bash('p1', 'git status'));
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('asks about what a rule allows, and still denies what a rule denies', async () => {
    const world = await paused({ all: true }, 'ask');
    await world.send(bash('p1', 'git status'));
    await world.send(bash('p2', 'rm x'));
    expect(world.slack.cards.size).toBe(1);
    expect((await world.decided('p2')).outcome).toBe('denied');
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('holds until its time and not longer', async () => {
    const world = await paused({ all: true }, 'deny', { until: '2026-11-21T09:10:00Z' });
    await world.clock.advance(10 * MINUTE - 1);
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(1);
    await world.send(bash('p2', 'git status'));
    expect((await world.decided('p1')).outcome).toBe('denied');
    expect((await world.decided('p2')).outcome).toBe('approved');
  });

  test('of two that hold the stronger counts', async () => {
    const world = await paused({ all: true }, 'ask');
    world.gate.operateAs('oncall', pausing({ tool: 'Bash' }, 'deny'));
    await world.rest();
    await world.send(bash('p1', 'git status'));
    expect((await world.decided('p1')).outcome).toBe('denied');
  });

  test('is lifted for its scope alone', async () => {
    const world = await paused({ all: true }, 'deny');
    world.gate.operateAs('oncall', pausing({ tool: 'Bash' }, 'lift'));
    await world.rest();
    await world.send(bash('p1', 'git status'));
    expect((await world.decided('p1')).outcome).toBe('denied');
    world.gate.operateAs('oncall', pausing({ all: true }, 'lift'));
    await world.rest();
    await world.send(bash('p2', 'git status'));
    expect((await world.decided('p2')).outcome).toBe('approved');
  });

  test('pulled while an approval waits denies what people approve afterwards', async () => {
    const world = new World();
    await world.send(bash('p1'));
    world.gate.operateAs('oncall', pausing({ agent: 'coder' }, 'deny'));
    await world.rest();
    await world.click('p1', 'alice');
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'denied' });
    expect(decision.calls[0]).not.toHaveProperty('permit');
  });

  test('pulled and lifted while an approval waits leaves it as it was', async () => {
    const world = new World();
    await world.send(bash('p1'));
    for (const effect of ['deny', 'lift'] as const) world.gate.operateAs('oncall', pausing({ all: true }, effect));
    await world.rest();
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });
});
