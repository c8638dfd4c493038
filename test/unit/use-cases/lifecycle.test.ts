/** Follows one proposal from message to decision, on the memory adapters. */
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../shared/contract/index.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { bash, PEOPLE, policyOf, World } from './world.ts';

const HOUR = 60 * 60_000;
/** Only the owner of the agent is in the group, and may not answer. */
const NOBODY = '  platform: { members: [olga], channel: approvals }\n  security: { members: [bob], channel: security }';

describe('what a rule decides', () => {
  test('an allowed call is approved at once, with a permit of 15 minutes for exactly this action', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status'));
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { type: 'rule' } });
    const [call] = decision.calls;
    expect(call?.permit?.actionDigest).toBe(decision.actionDigest);
    expect(Date.parse(call?.permit?.expiresAt ?? '') - world.clock.now()).toBe(15 * 60_000);
    expect(world.slack.cards.size).toBe(0);
  });

  test('a denied call is denied at once, without a permit and without a card', async () => {
    const world = new World();
    await world.send(bash('p1', 'rm -rf /'));
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'denied', decidedBy: { type: 'rule' } });
    expect(decision.calls[0]).not.toHaveProperty('permit');
    expect(world.slack.cards.size).toBe(0);
  });
});

describe('what people decide', () => {
  test('approved: one card, one decision, a permit of 24 hours, the card says by whom', async () => {
    const world = new World();
    await world.send(bash('p1'));
    expect(await world.decision('p1')).toBeUndefined();
    expect(world.slack.titles).toEqual([expect.stringContaining('coder wants to run git push origin main')]);
    expect(await world.click('p1', 'alice')).toMatchObject({ kind: 'counted' });
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' } });
    expect(Date.parse(decision.calls[0]?.permit?.expiresAt ?? '') - world.clock.now()).toBe(24 * HOUR);
    expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
    expect(world.gate.replies.sentTo('coder')).toEqual([decision]);
    expect((await world.audit('p1')).map(({ type }) => type).toSorted()).toEqual(['decided', 'evaluated', 'vote']);
  });

  test('rejected: denied, and the model is told the reason', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.click('p1', 'bob', 'reject', { reason: 'the tests are red' });
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'denied', reasonCode: 'rejected', decidedBy: { type: 'human' } });
    expect(decision.message).toContain('the tests are red');
    expect(world.slack.titles).toEqual([expect.stringContaining('Rejected')]);
  });

  test('nobody answers: the workflow’s own time-out ends in expired, never in a refusal (G21)', async () => {
    const world = new World(undefined, { reconcileEveryMs: 0 });
    await world.send(bash('p1'));
    await world.clock.advance(HOUR - 1);
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(3_000);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'expired', reasonCode: 'expired' });
    expect(world.slack.titles).toEqual([expect.stringContaining('Expired')]);
  });

  test('a decision frees the place that the wait took, once', async () => {
    const world = new World();
    await world.send(bash('p1'));
    expect([world.waiting('agent', 'coder'), world.waiting('group', 'platform')]).toEqual([1, 1]);
    await world.click('p1', 'alice');
    await world.clock.advance(3 * HOUR);
    expect([world.waiting('agent', 'coder'), world.waiting('group', 'platform')]).toEqual([0, 0]);
  });
});

test('a decision that nobody could be told of is told within two minutes, though its execution is gone (A8)', async () => {
  const world = new World();
  await world.send(bash('p1'));
  world.gate.workflow.stop();
  await world.click('p1', 'alice');
  const { send } = world.gate.replies;
  world.gate.replies.send = async () => {
    throw new Error('the queue is down');
  };
  for (let minute = 0; (await world.decision('p1')) === undefined; minute++) {
    expect(minute).toBeLessThan(4);
    await world.clock.advance(60_000);
  }
  world.gate.replies.send = send;
  await world.clock.advance(120_000);
  expect(world.gate.replies.sentTo('coder')).toEqual([await world.decided('p1')]);
});

describe('D30 every outcome says why, who decided, under which policy, and for which action', () => {
  const outcomes: Readonly<Record<Decision['outcome'], (world: World) => Promise<unknown>>> = {
    approved: (world) => world.click('p1', 'alice'),
    denied: (world) => world.click('p1', 'alice', 'reject', { reason: 'not today' }),
    expired: (world) => world.clock.advance(HOUR + 3_000),
    cancelled: (world) => world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' }),
    superseded: (world) => {
      world.gate.usePolicy(policyOf({ ask: ["{ rule: 'Bash(git push:*)', approvers: security }"] }));
      return world.click('p1', 'alice');
    },
    answered: async (world) => {
      const { approval } = await world.row('p1');
      const given = { choice: 'respond', answer: 'use the staging branch', via: 'slack' } as const;
      const saying = { pid: approval.pid, person: PEOPLE.alice, isBot: false, requestId: 'r1' };
      await vote({ ...saying, ballot: { ...given, questionDigest: approval.question.digest } }, world.gate.parts);
      return world.rest();
    },
    error: async () => undefined,
  };

  test.each(Object.keys(outcomes) as Decision['outcome'][])('%s', async (outcome) => {
    const world = new World(outcome === 'error' ? policyOf({ approvers: NOBODY }) : undefined);
    await world.send(bash('p1'));
    await outcomes[outcome](world);
    const decision = await world.decided('p1');
    expect(decision.outcome).toBe(outcome);
    for (const part of [decision, ...decision.calls]) {
      expect(part.message.trim()).not.toBe('');
      expect(part.reasonCode).not.toBe('');
      expect(part.decidedBy.id).not.toBe('');
      expect(part.actionDigest).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(decision.policyVersion).toMatch(/^[0-9a-f]{64}$/);
    const isRefusal = /refus|reject|denied/i.test(decision.message.replace('This is not a refusal', ''));
    expect(isRefusal, decision.message).toBe(outcome === 'denied');
    expect(decision.calls.some(({ permit }) => permit)).toBe(outcome === 'approved');
  });
});
