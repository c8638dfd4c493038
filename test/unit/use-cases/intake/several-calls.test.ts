/**
 * Checks proposals of several calls, each with its own decision (A24).
 *
 * People answer all that ask on one card.
 */
import { describe, expect, test } from 'vitest';
import { callsOf } from '../../../../shared/domain/approval/approval.ts';
import { policyOf, World } from '../world.ts';

describe('several calls in one proposal (A24)', () => {
  const calls = (...commands: string[]) =>
    commands.map((command, n) => ({ id: `c${n}`, toolName: 'Bash', input: { command } }));
  const proposing = (id: string, ...commands: string[]) => ({
    kind: 'tool-call',
    proposalId: id,
    calls: calls(...commands),
  });

  test('allowed and denied: each has its own decision, and only the allowed one a permit', async () => {
    const world = new World();
    await world.send(proposing('p1', 'git status', 'rm x'));
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'denied', actionDigest: null });
    expect(decision.message).toContain('Each call has its own decision');
    expect(decision.calls.map(({ outcome, permit }) => [outcome, permit !== undefined])).toEqual([
      ['approved', true],
      ['denied', false],
    ]);
  });

  test('one that asks holds the others: one card, and each is decided when people answered', async () => {
    const world = new World();
    await world.send(proposing('p1', 'git status', 'git push', 'rm x', 'git push --tags'));
    expect(await world.decision('p1')).toBeUndefined();
    expect(world.slack.cards.size).toBe(1);
    expect(callsOf((await world.row('p1')).approval.question).map(({ id }) => id)).toEqual(['c1', 'c3']);
    await world.click('p1', 'alice');
    const { calls: decided } = await world.decided('p1');
    expect(decided.map(({ outcome, decidedBy }) => `${outcome} ${decidedBy.type}`)).toEqual([
      'approved rule',
      'approved human',
      'denied rule',
      'approved human',
    ]);
    expect(new Set(decided.flatMap(({ permit }) => permit?.permitId ?? [])).size).toBe(3);
  });

  test('a rejection refuses what was asked and leaves what a rule allowed', async () => {
    const world = new World();
    await world.send(proposing('p1', 'git status', 'git push'));
    await world.click('p1', 'alice', 'reject');
    expect((await world.decided('p1')).calls.map(({ outcome }) => outcome)).toEqual(['approved', 'denied']);
  });

  test('calls for different approvers are not asked together', async () => {
    const world = new World(policyOf({ ask: ["'Bash(git push:*)'", "{ rule: 'Bash(curl:*)', approvers: security }"] }));
    await world.send(proposing('p1', 'git push', 'curl example.org'));
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).calls.map(({ reasonCode }) => reasonCode)).toEqual([
      'approved',
      'mixed_approvers',
    ]);
  });
});
