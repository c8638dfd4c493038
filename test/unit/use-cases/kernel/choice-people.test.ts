/**
 * Checks action choices that people answer: proposed, substituted, refused, not answered.
 *
 * Covers several questions and models in between (A16, A17, A18b).
 */
import { describe, expect, test } from 'vitest';
import type { Ballot } from '../../../../shared/domain/approval/approval.ts';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import { type ChoiceWorld, choice, choicePolicy, choiceWorld, flow, NONE, picks, say, space } from '../choice-world.ts';
import type { PEOPLE } from '../world.ts';

const MINUTE = 60_000;
const yes = (at: ChoiceWorld, id: string, who: keyof typeof PEOPLE = 'alice') =>
  say(at, id, who, { choice: 'approve' });
const no = (at: ChoiceWorld, id: string, who: keyof typeof PEOPLE = 'alice') => say(at, id, who, { choice: 'reject' });
const instead = (at: ChoiceWorld, id: string, index: number, flowId: string) =>
  say(at, id, 'alice', { choice: 'substitute', index, actionDigest: choiceDigest(flow(flowId)) } as Ballot);

test('a vote of somebody who owns the agent by the time of the decision counts no more (D52)', async () => {
  const ask = ["{ rule: 'Flow(update_status)', severity: high }"];
  const owned = (owner: string) => choicePolicy({ ask, agents: `  coder: { owner: ${owner} }` });
  for (const [later, outcome] of [
    ['olga', 'answered'],
    ['alice', 'superseded'],
  ] as const) {
    const at = choiceWorld([], owned('olga'));
    await at.world.send(choice('c1', 'first'));
    await yes(at, 'c1', 'alice');
    expect(await at.world.decision('c1')).toBeUndefined();
    at.world.gate.usePolicy(owned(later));
    await yes(at, 'c1', 'bob');
    expect((await at.world.decided('c1')).outcome).toBe(outcome);
  }
});

describe('one person is asked', () => {
  test('what the policy would choose, whom, and until when', async () => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'person'));
    const { approval } = await world.row('c1');
    expect(approval.question).toMatchObject({
      kind: 'choice',
      place: 'human',
      policy: 'person',
      offers: ['approve', 'reject', 'substitute'],
      proposed: { index: 0, flowId: 'update_status', personaId: 'ops', digest: choiceDigest(flow('update_status')) },
      stages: [{ group: 'platform', timeoutMs: 10 * MINUTE }],
    });
    expect(await world.decision('c1')).toBeUndefined();
  });

  test('approves: the proposed action, decided by the person', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    expect(await yes(at, 'c1')).toMatchObject({ kind: 'counted' });
    const decision = await at.world.decided('c1');
    expect(decision).toMatchObject({
      outcome: 'answered',
      answer: flow('update_status'),
      actionDigest: choiceDigest(flow('update_status')),
      decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' },
    });
    expect(decision.message).toContain('Chosen by U0ALICE: ');
    const entry = (await at.world.audit('c1')).find(({ type }) => type === 'decided');
    expect(entry?.choice?.stages).toEqual([
      { place: 'human.delegate/first-available', outcome: 'chosen', flowId: 'update_status' },
      { place: 'human', outcome: 'approved', flowId: 'update_status', by: 'T0DEMO/U0ALICE' },
    ]);
  });

  test('refuses: denied with the reason, and no action', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    await no(at, 'c1');
    const decision = await at.world.decided('c1');
    expect(decision).toMatchObject({ outcome: 'denied', reasonCode: 'rejected', actionDigest: null });
    expect(decision.message).toContain('because');
    expect(decision).not.toHaveProperty('answer');
  });

  test('puts another action of the space in its place', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    await instead(at, 'c1', 2, 'cancel_order');
    expect(await at.world.decided('c1')).toMatchObject({
      outcome: 'answered',
      reasonCode: 'substituted',
      answer: flow('cancel_order'),
      decidedBy: { type: 'human' },
    });
  });

  test('a substitute that the space does not hold, or holds otherwise now, does not count (D23)', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    expect(await instead(at, 'c1', 7, 'invented')).toMatchObject({ refusal: 'unknown_action' });
    expect(await instead(at, 'c1', 1, 'invented')).toMatchObject({ refusal: 'stale_digest' });
    expect((await at.world.row('c1')).approval).toMatchObject({ status: 'pending', votes: [] });
    const clicks = (await at.world.audit('c1')).filter(({ type }) => type === 'click');
    expect(clicks.map(({ reasonCode }) => reasonCode).sort()).toEqual(['stale_digest', 'unknown_action']);
  });

  test('what was proposed, put in its own place, is approved (R0-033)', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    await instead(at, 'c1', 0, 'update_status');
    expect(await at.world.decided('c1')).toMatchObject({
      outcome: 'answered',
      reasonCode: 'chosen',
      answer: flow('update_status'),
      decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' },
    });
  });

  test('a deny rule wins over a substitute, an ask rule does not ask again (D23)', async () => {
    const denied = choiceWorld([], choicePolicy({ deny: ["'Flow(cancel_order)'"] }));
    await denied.world.send(choice('c1', 'person'));
    await instead(denied, 'c1', 2, 'cancel_order');
    expect(await denied.world.decided('c1')).toMatchObject({ outcome: 'denied', decidedBy: { type: 'rule' } });
    const asked = choiceWorld([], choicePolicy({ ask: ["'Flow(cancel_order)'"] }));
    await asked.world.send(choice('c1', 'person'));
    await instead(asked, 'c1', 2, 'cancel_order');
    expect(await asked.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('cancel_order') });
  });

  test('nobody is asked about what a rule denies anyway', async () => {
    const { world } = choiceWorld([], choicePolicy({ deny: ["'Flow(update_status)'"] }));
    await world.send(choice('c1', 'person'));
    expect(await world.decided('c1')).toMatchObject({ outcome: 'denied' });
    expect(world.slack.cards.size).toBe(0);
  });

  test('the owner, a stranger and a bot may not answer', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    expect(await yes(at, 'c1', 'olga')).toMatchObject({ refusal: 'owner_cannot_approve' });
    expect(await yes(at, 'c1', 'stranger')).toMatchObject({ refusal: 'not_in_group' });
    expect(await at.world.decision('c1')).toBeUndefined();
  });

  test('and the question ends when the agent cancels', async () => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'person'));
    await world.send({ kind: 'cancel', proposalId: 'x1', cancels: 'c1' });
    await world.rest();
    expect(await world.decided('c1')).toMatchObject({ outcome: 'cancelled' });
  });
});

describe('nobody answers', () => {
  test('within the time of the policy: expired, and never a refusal (D35)', async () => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'person'));
    await world.clock.advance(9 * MINUTE);
    expect(await world.decision('c1')).toBeUndefined();
    await world.clock.advance(5 * MINUTE);
    expect(await world.decided('c1')).toMatchObject({ outcome: 'expired', decidedBy: { type: 'system' } });
  });

  test('a policy that lets silence approve chooses the proposed action, and says that nobody answered', async () => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'lenient'));
    await world.clock.advance(14 * MINUTE);
    expect(await world.decided('c1')).toMatchObject({
      outcome: 'answered',
      answer: flow('update_status'),
      decidedBy: { type: 'policy' },
    });
    const entry = (await world.audit('c1')).find(({ type }) => type === 'decided');
    expect(entry?.choice?.stages.at(-1)).toMatchObject({ outcome: 'timeout_approved' });
    expect(world.slack.titles).toEqual(['Approved: coder · update_status']);
  });

  test('an agent that states an early end does not get its way by silence', async () => {
    const { world } = choiceWorld();
    const expiresAt = new Date(world.clock.now() + 2 * MINUTE).toISOString();
    await world.send(choice('c1', 'lenient', { expiresAt }));
    await world.clock.advance(20 * MINUTE);
    expect(await world.decided('c1')).toMatchObject({ outcome: 'expired', actionDigest: null });
  });

  test('nor does anybody while no card could be shown', async () => {
    const { world } = choiceWorld();
    world.slack.down = true;
    await world.send(choice('c1', 'lenient'));
    await world.clock.advance(14 * MINUTE);
    expect(await world.decided('c1')).toMatchObject({ outcome: 'expired' });
  });
});

describe('a rule on the flow asks a person', () => {
  const ask = { ask: ["{ rule: 'Flow(release_escrow)', approvers: security }"] };

  test('where a model chose alone', async () => {
    const at = choiceWorld([picks('release_escrow')], choicePolicy(ask));
    await at.world.send(choice('c1', 'model'));
    const { approval } = await at.world.row('c1');
    expect(approval.question).toMatchObject({
      kind: 'choice',
      place: 'rules/human',
      offers: ['approve', 'reject'],
      stages: [{ group: 'security' }],
    });
    await yes(at, 'c1', 'bob');
    expect(await at.world.decided('c1')).toMatchObject({
      outcome: 'answered',
      answer: flow('release_escrow'),
      decidedBy: { type: 'human', id: 'T0DEMO/U0BOB' },
    });
    at.client.assertDone();
  });

  test('and a refusal there is a refusal', async () => {
    const at = choiceWorld([picks('release_escrow')], choicePolicy(ask));
    await at.world.send(choice('c1', 'model'));
    await no(at, 'c1', 'bob');
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'denied', reasonCode: 'rejected' });
  });
});

describe('more than one question', () => {
  test('a person, then another group: two rounds of one approval, each on the record', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'twice'));
    await yes(at, 'c1');
    const { approval } = await at.world.row('c1');
    expect(approval).toMatchObject({
      round: 2,
      status: 'pending',
      question: { place: 'composite.approver/human', offers: ['approve', 'reject'], stages: [{ group: 'security' }] },
    });
    expect(await yes(at, 'c1', 'alice')).toMatchObject({ refusal: 'not_in_group' });
    await yes(at, 'c1', 'bob');
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
    const entry = (await at.world.audit('c1')).findLast(({ type }) => type === 'decided');
    expect(entry?.choice?.stages.filter(({ by }) => by).map(({ place, by }) => [place, by])).toEqual([
      ['composite.proposer/human', 'T0DEMO/U0ALICE'],
      ['composite.approver/human', 'T0DEMO/U0BOB'],
    ]);
    expect(at.world.waiting('agent', 'coder')).toBe(0);
    expect(at.world.waiting('group', 'platform')).toBe(0);
    expect(at.world.waiting('group', 'security')).toBe(0);
  });

  test('a model after a person is asked in deliberate, once', async () => {
    const at = choiceWorld([picks('update_status')]);
    await at.world.send(choice('c1', 'reviewed'));
    at.client.calls.length = 0;
    await yes(at, 'c1');
    await at.world.clock.advance(1_000);
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
    at.client.assertDone();
    expect(at.world.gate.workflow.waiting).toBe(0);
  });

  test('a person, a model, a person again', async () => {
    const at = choiceWorld([picks('update_status')]);
    await at.world.send(choice('c1', 'judged'));
    await yes(at, 'c1');
    await at.world.clock.advance(1_000);
    const { approval } = await at.world.row('c1');
    expect(approval).toMatchObject({ round: 2, status: 'pending', question: { place: 'composite.approver/human' } });
    expect(approval).not.toHaveProperty('deliberating');
    await yes(at, 'c1', 'bob');
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
    at.client.assertDone();
  });

  test('a model that declines after a person: none', async () => {
    const at = choiceWorld([NONE]);
    await at.world.send(choice('c1', 'reviewed'));
    await yes(at, 'c1');
    await at.world.clock.advance(1_000);
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: null, reasonCode: 'declined' });
  });

  test('the risky flow waits for a person, the routine one does not (R0-104)', async () => {
    const at = choiceWorld([picks('update_status'), picks('release_escrow')]);
    await at.world.send(choice('c1', 'risky'));
    expect(await at.world.decided('c1')).toMatchObject({
      answer: flow('update_status'),
      decidedBy: { type: 'policy' },
    });
    await at.world.send(choice('c2', 'risky'));
    expect(await at.world.decision('c2')).toBeUndefined();
    await yes(at, 'c2');
    expect(await at.world.decided('c2')).toMatchObject({
      answer: flow('release_escrow'),
      decidedBy: { type: 'human' },
    });
  });

  test('the delegate of an approver that declines refuses without a prompt (R0-107)', async () => {
    const at = choiceWorld([picks('cancel_order'), NONE]);
    await at.world.send(choice('c1', 'supervised'));
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: null });
    expect(at.world.slack.cards.size).toBe(0);
  });
});

describe('the policy changes while a choice waits (A17)', () => {
  const changed = (change: (trees: string) => string, parts = {}) => choicePolicy(parts, change);

  test.each<[string, (trees: string) => string, string, RegExp]>([
    [
      'another place asks',
      (trees) => trees.replace('  person: {', '  old: {').replace('  twice:', '  person:'),
      'superseded',
      /composite\.proposer\/human/,
    ],
    [
      'nobody is asked any more',
      (trees) => trees.replace(/ {2}person: .*\n/, '  person: { type: random }\n'),
      'superseded',
      /no longer asks/,
    ],
    [
      'the wait got shorter',
      (trees) => trees.replaceAll('timeout: 10m', 'timeout: 9m'),
      'superseded',
      /not what the policy asks/,
    ],
    [
      'the policy is gone',
      (trees) => trees.replace('  person:', '  persona:'),
      'error',
      /no agent policy named person/,
    ],
  ])('%s: %#', async (_name, change, outcome, why) => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    at.world.gate.usePolicy(changed(change));
    await yes(at, 'c1');
    const decision = await at.world.decided('c1');
    expect(decision).toMatchObject({ outcome, actionDigest: null });
    expect(decision.message).toMatch(why);
    expect(decision).not.toHaveProperty('answer');
  });

  test('others would be asked now: superseded, with a message that says so', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    at.world.gate.usePolicy(
      changed((trees) => trees, {
        approvers:
          '  platform: { members: [bob], channel: approvals }\n  security: { members: [bob], channel: security }',
      }),
    );
    const { approval } = await at.world.row('c1');
    expect(approval.status).toBe('pending');
    await yes(at, 'c1', 'bob');
    const decision = await at.world.decided('c1');
    expect(decision).toMatchObject({ outcome: 'superseded' });
    expect(decision.message).toContain('others would be asked now');
  });

  test('a refusal stays a refusal', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    at.world.gate.usePolicy(changed((trees) => trees.replaceAll('timeout: 10m', 'timeout: 9m')));
    await no(at, 'c1');
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'denied', reasonCode: 'rejected' });
  });

  test('another policy changes: the answer counts', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    at.world.gate.usePolicy(changed((trees) => trees.replace('[cancel_order, update_status]', '[update_status]')));
    await yes(at, 'c1');
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
  });

  test('a new deny rule: denied, although a person approved', async () => {
    const at = choiceWorld();
    await at.world.send(choice('c1', 'person'));
    at.world.gate.usePolicy(changed((trees) => trees, { deny: ["'Flow(*)'"] }));
    await yes(at, 'c1');
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
  });
});

test('many choices of the same content each wait for themselves', async () => {
  const at = choiceWorld();
  await at.world.send(choice('c1', 'person'));
  await at.world.send(choice('c2', 'person', { actionSpace: space('update_status', 'wait') }));
  await yes(at, 'c1');
  expect(await at.world.decision('c2')).toBeUndefined();
  await no(at, 'c2');
  expect(await at.world.decided('c2')).toMatchObject({ outcome: 'denied' });
});
