/**
 * Checks whose answer counts, when, and how often (G18–G20, G26, A6, A14).
 *
 * Covers clicks, cancels, duplicates and their order.
 */
import { describe, expect, test } from 'vitest';
import { vote } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const cancelling = (cancels: string) => ({ kind: 'cancel', proposalId: `cancel-${cancels}`, cancels });

describe('a click that does not count is refused with a reason, audited, and changes nothing', () => {
  test.each([
    ['of somebody outside the group', 'stranger', {}, 'not_in_group'],
    ['of the owner of the agent, who is in the group', 'olga', {}, 'owner_cannot_approve'],
    ['of a bot', 'alice', { isBot: true }, 'bot_cannot_approve'],
    ['on a card that is not this approval’s', 'alice', { foreign: true }, 'foreign_card'],
    ['on a card that showed another question', 'alice', { questionDigest: 'f'.repeat(64) }, 'stale_digest'],
  ] as const)('%s', async (_, who, more, refusal) => {
    const world = new World();
    await world.send(bash('p1'));
    const before = await world.row('p1');
    expect(await world.click('p1', who, 'approve', more)).toMatchObject({ kind: 'refused', refusal });
    expect(await world.row('p1')).toEqual(before);
    expect((await world.audit('p1')).filter(({ type }) => type === 'click')).toMatchObject([
      { accepted: false, reasonCode: refusal, person: expect.any(Object) },
    ]);
    expect(await world.decision('p1')).toBeUndefined();
  });

  test('after the end: the first answer stands', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    const decision = await world.decided('p1');
    expect(await world.click('p1', 'bob', 'reject')).toMatchObject({ refusal: 'already_decided' });
    expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'already_decided' });
    expect(await world.decided('p1')).toEqual(decision);
    expect((await world.audit('p1')).map(({ type }) => type).toSorted()).toEqual([
      'click',
      'click',
      'decided',
      'evaluated',
      'vote',
    ]);
  });

  test('after the wait: expired, also before anybody has ended the row', async () => {
    const world = new World(undefined, { reconcileEveryMs: 0 });
    await world.send(bash('p1'));
    world.clock.jump(HOUR);
    expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'expired' });
    await world.clock.advance(5_000);
    expect((await world.decided('p1')).outcome).toBe('expired');
  });

  test('on an approval that this deployment does not know: refused, and on the record all the same (G35)', async () => {
    const world = new World();
    const ballot = { choice: 'approve', questionDigest: 'f'.repeat(64), via: 'slack' } as const;
    const click = {
      pid: 'no such approval',
      person: PEOPLE.alice,
      name: 'alice',
      isBot: false,
      ballot,
      requestId: 'r1',
    };
    expect(await vote(click, world.gate.parts)).toEqual({ kind: 'refused', refusal: 'unknown_approval' });
    expect(await world.look.audit.recent('-clicks', 5)).toMatchObject([
      { entry: { type: 'click', accepted: false, reasonCode: 'unknown_approval' } },
    ]);
  });

  test('the same click delivered twice is audited once', async () => {
    const world = new World();
    await world.send(bash('p1'));
    const { audit } = world.gate.parts;
    await world.click('p1', 'stranger');
    const [refused] = (await audit.ofProposal('coder', world.pid('p1'))).filter(({ entry }) => entry.type === 'click');
    if (!refused) throw new Error('no click was audited');
    expect(await audit.put(refused)).toBe(false);
  });

  test('a click on a card that was never registered is taken, and the card is kept up to date from then on (A22)', async () => {
    const world = new World();
    await world.send(bash('p1'));
    const [first] = (await world.row('p1')).cards;
    world.gate.parts.state.cards.clear();
    await world.click('p1', 'stranger');
    expect((await world.row('p1')).cards).toHaveLength(1);
    await world.click('p1', 'bob');
    expect((await world.row('p1')).cards).not.toEqual([first]);
    expect(world.slack.cards.size).toBeGreaterThan(0);
  });
});

describe('two people at once', () => {
  test.each([
    ['both approve', 'approve', 'approve'],
    ['one approves, one rejects', 'approve', 'reject'],
    ['both reject', 'reject', 'reject'],
  ] as const)('%s: one vote counts, one decision', async (_, a, b) => {
    const world = new World();
    await world.send(bash('p1'));
    const votes = await Promise.all([world.click('p1', 'alice', a), world.click('p1', 'bob', b)]);
    expect(votes.map(({ kind }) => kind).toSorted()).toEqual(['counted', 'refused']);
    const { approval, decision } = await world.row('p1');
    expect(approval.votes).toHaveLength(1);
    expect(decision?.outcome).toBe(approval.status === 'approved' ? 'approved' : 'denied');
    expect(world.gate.replies.sentTo('coder')).toHaveLength(1);
  });
});

describe('duplicates', () => {
  test('the same message five times at once: one approval, one card, one decision', async () => {
    const world = new World();
    await Promise.all([1, 2, 3, 4, 5].map(() => world.send(bash('p1'))));
    expect(world.slack.cards.size).toBe(1);
    expect(world.waiting('agent', 'coder')).toBe(1);
    await world.click('p1', 'alice');
    await Promise.all([1, 2, 3, 4, 5].map(() => world.send(bash('p1'))));
    const decision = await world.decided('p1');
    for (const reply of world.gate.replies.sentTo('coder')) expect(reply).toEqual(decision);
    expect((await world.audit('p1')).map(({ type }) => type).toSorted()).toEqual(['decided', 'evaluated', 'vote']);
  });

  test('of one id with five contents at once one stands, and four are told of the conflict', async () => {
    const world = new World();
    await Promise.all([1, 2, 3, 4, 5].map((n) => world.send(bash('p1', `git status ${n}`))));
    const replies = world.gate.replies.sentTo('coder');
    expect(replies.map(({ outcome }) => outcome).toSorted()).toEqual(['approved', ...Array(4).fill('error')]);
    expect((await world.audit('p1')).filter(({ type }) => type === 'refused')).toHaveLength(4);
  });
});

describe('a cancel', () => {
  test('before the proposal leaves a tombstone: the proposal is cancelled when it comes', async () => {
    const world = new World();
    await world.send(cancelling('p1'));
    const decision = await world.decided('p1');
    expect(decision.outcome).toBe('cancelled');
    await world.send(bash('p1', 'git status'));
    expect(await world.decided('p1')).toEqual(decision);
    expect(world.slack.cards.size).toBe(0);
  });

  test('while people are asked ends the wait, and the card says so', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.send({ ...cancelling('p1'), reason: 'no longer needed' });
    expect((await world.decided('p1')).outcome).toBe('cancelled');
    expect(world.slack.titles).toEqual([expect.stringContaining('Cancelled')]);
    expect(JSON.stringify([...world.slack.cards.values()])).toContain('the agent wrote: “no longer needed”');
    expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'already_decided' });
    expect((await world.audit('p1')).find(({ type }) => type === 'cancel')).toMatchObject({
      detail: 'no longer needed',
    });
  });

  test('after the decision changes nothing', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status'));
    const decision = await world.decided('p1');
    await world.send(cancelling('p1'));
    expect(await world.decided('p1')).toEqual(decision);
  });

  test('after the decision of an edited call changes nothing, and is no fault', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.edit('p1', 'alice', { command: 'git status' });
    const decision = await world.decided('p1');
    await world.send(cancelling('p1'));
    expect(await world.decided('p1')).toEqual(decision);
    expect(await world.decision('cancel-p1')).toBeUndefined();
    expect(world.faults).toEqual([]);
  });

  test('at once with the proposal: one of the two ends is told, and the places are free', async () => {
    for (const order of ['cancel first', 'proposal first']) {
      const world = new World();
      const both = [() => world.send(cancelling('p1')), () => world.send(bash('p1'))];
      await Promise.all((order === 'cancel first' ? both : both.toReversed()).map((send) => send()));
      await world.clock.advance(MINUTE);
      expect((await world.decided('p1')).outcome).toBe('cancelled');
      expect(world.waiting('agent', 'coder')).toBe(0);
    }
  });

  test('of another agent’s proposal is not found: that agent’s own id is cancelled', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.send(cancelling('p1'), { agent: 'writer' });
    expect((await world.row('p1')).approval.status).toBe('pending');
    expect((await world.decided('p1', 'writer')).outcome).toBe('cancelled');
  });
});

describe('what cannot be asked is said at once', () => {
  test('high severity needs two people, and the group has one besides the owner (G26)', async () => {
    const approvers = '  platform: { members: [alice, olga], channel: approvals }';
    const world = new World(policyOf({ approvers, ask: ["{ rule: 'Bash(git push:*)', severity: high }"] }));
    await world.send(bash('p1'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'quorum_unavailable' });
    expect(world.slack.cards.size).toBe(0);
  });

  test.each([
    ['the policy names no group', { approvals: '{ timeout: 1h }' }],
    ['the group is the owner alone', { approvers: '  platform: { members: [olga], channel: approvals }' }],
  ])('%s: no_approvers', async (_, parts) => {
    const world = new World(policyOf(parts));
    await world.send(bash('p1'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'no_approvers' });
  });

  test('too many of one agent wait: no card, and the others are not held up (A14)', async () => {
    const world = new World(undefined, { limits: { perAgent: 2, perGroup: 3, inlineBytes: 8192 } });
    for (const id of ['p1', 'p2', 'p3']) await world.send(bash(id, `git push ${id}`));
    expect(await world.decided('p3')).toMatchObject({ outcome: 'error', reasonCode: 'too_many_waiting' });
    expect(world.slack.cards.size).toBe(2);
    await world.send(bash('w1'), { agent: 'writer' });
    await world.send(bash('w2', 'git push w2'), { agent: 'writer' });
    expect(await world.decision('w1', 'writer')).toBeUndefined();
    expect(await world.decided('w2', 'writer')).toMatchObject({ reasonCode: 'too_many_waiting' });
    await world.click('p1', 'alice');
    await world.send(bash('p4'));
    expect(await world.decision('p4')).toBeUndefined();
  });
});

test('the policy file states how many of an agent and of a group may wait (A14)', async () => {
  const approvers = '  platform: { members: [alice, bob, olga], channel: approvals, maxWaiting: 3 }';
  const agents = '  coder: { owner: olga, maxWaiting: 2 }\n  writer: { owner: olga }';
  const world = new World(policyOf({ approvers, agents }));
  for (const id of ['p1', 'p2', 'p3']) await world.send(bash(id, `git push ${id}`));
  expect(await world.decided('p3')).toMatchObject({ reasonCode: 'too_many_waiting' });
  for (const id of ['w1', 'w2']) await world.send(bash(id, `git push ${id}`), { agent: 'writer' });
  expect(await world.decision('w1', 'writer')).toBeUndefined();
  expect(await world.decided('w2', 'writer')).toMatchObject({ reasonCode: 'too_many_waiting' });
});

describe('time', () => {
  test('a proposal whose time was over when it was read is expired, unevaluated (A10)', async () => {
    const world = new World();
    await world.send({ ...bash('p1', 'git status'), expiresAt: '2026-11-21T09:00:00Z' });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'expired' });
  });

  test('a message that was a day on the way is expired, whatever a rule would say', async () => {
    const world = new World();
    world.gate.queues.proposals.send({
      messageId: 'm1',
      raw: JSON.stringify(bash('p1', 'git status')),
      principal: 'memory/agents/coder',
      firstSentAt: world.clock.now() - HOUR,
      rounds: 0,
    });
    await world.rest();
    expect((await world.decided('p1')).outcome).toBe('expired');
  });

  test('the agent may shorten the wait, and not lengthen it', async () => {
    const world = new World();
    await world.send({ ...bash('p1'), expiresAt: '2026-11-21T09:10:00Z' });
    await world.send({ ...bash('p2'), expiresAt: '2026-11-30T09:00:00Z' });
    expect((await world.row('p1')).approval.expiresAt).toBe('2026-11-21T09:10:00.000Z');
    expect((await world.row('p2')).approval.expiresAt).toBe('2026-11-21T10:00:00.000Z');
    await world.clock.advance(11 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
    expect(await world.decision('p2')).toBeUndefined();
  });
});

test('the same run twice gives the same decision (G13)', async () => {
  const run = async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.send(bash('p2', 'git status'));
    await world.send(bash('p3', 'rm x'));
    await world.clock.advance(MINUTE);
    await world.click('p1', 'alice');
    return Promise.all(['p1', 'p2', 'p3'].map((id) => world.decided(id)));
  };
  expect(await run()).toEqual(await run());
});

test('a proposal of more than 8 KB is asked about, and what runs is what was kept', async () => {
  const world = new World();
  const message = bash('p1', 'git push', {
    description: 'x'.repeat(2_900),
    reason: 'y'.repeat(2_900),
    title: 'z'.repeat(190),
    state: 's'.repeat(4_000),
  });
  await world.send(message);
  expect(world.gate.parts.state.proposals.get(world.pid('p1'))).toHaveProperty('bodyDigest');
  await world.click('p1', 'alice');
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', state: 's'.repeat(4_000) });
});

test('a flood of one agent waits its turn, loses nothing, and does not delay another (A12, A14)', async () => {
  const agents = '  coder: { owner: olga, rate: { perSecond: 1, burst: 10 } }\n  writer: { owner: olga }';
  const world = new World(policyOf({ agents }));
  const ids = Array.from({ length: 40 }, (_, n) => `p${n}`);
  await Promise.all([
    ...ids.map((id) => world.send(bash(id, 'git status'))),
    world.send(bash('w1', 'git status'), { agent: 'writer' }),
  ]);
  expect((await world.decided('w1', 'writer')).outcome).toBe('approved');
  const decidedNow = async () => (await Promise.all(ids.map((id) => world.decision(id)))).filter(Boolean).length;
  expect(await decidedNow()).toBe(10);
  await world.clock.advance(15_000);
  expect(await decidedNow()).toBe(25);
  await world.clock.advance(15_000);
  for (const id of ids) expect((await world.decided(id)).outcome).toBe('approved');
});

test('G34 a backlog of many times the rate is worked off at the rate: none of it is lost, or put off to its expiry', async () => {
  const agents = '  coder: { owner: olga, rate: { perSecond: 1, burst: 10 } }\n  writer: { owner: olga }';
  const world = new World(policyOf({ agents }));
  const FLOOD = 150;
  for (let n = 0; n < FLOOD; n++) {
    const { queue } = world.gate.agentSide('coder');
    await queue.publish(JSON.stringify(bash(`f${n}`, 'git status')), 'coder');
  }
  await world.clock.advance(60_000);
  await world.send(bash('calm', 'git status'), { agent: 'writer' });
  expect(await world.decided('calm', 'writer')).toMatchObject({ outcome: 'approved' });
  await world.clock.advance(80_000);
  const outcomes = await Promise.all(
    Array.from({ length: FLOOD }, async (_, n) => (await world.decision(`f${n}`))?.outcome),
  );
  expect(outcomes.filter((outcome) => outcome !== 'approved')).toEqual([]);
  expect(world.gate.queues.deferred.deadLetters).toEqual([]);
});

test('a message under a foreign group id does not carry its mates past the rate (A2, A14)', async () => {
  const agents = '  coder: { owner: olga, rate: { perSecond: 1, burst: 10 } }';
  const world = new World(policyOf({ agents }));
  const ids = Array.from({ length: 40 }, (_, n) => `p${n}`);
  const foreign = Array.from({ length: 8 }, (_, n) => `f${n}`);
  // One in each batch of the queue.
  await Promise.all(
    ids.flatMap((id, n) => [
      ...(n % 5 === 0 ? [world.send(bash(foreign[n / 5] ?? '', 'git status'), { groupId: 'writer' })] : []),
      world.send(bash(id, 'git status')),
    ]),
  );
  expect((await world.decided('f0')).reasonCode).toBe('not_your_agent');
  expect((await Promise.all(ids.map((id) => world.decision(id)))).filter(Boolean).length).toBeLessThan(20);
});
