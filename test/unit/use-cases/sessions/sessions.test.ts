/**
 * Checks the memory of a session: denials, refusals, grants, mode and rules (A3, D11, D12, D22).
 *
 * Covers A3, D11, D12 and D22, on the memory adapters.
 */
import { describe, expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import type { SessionRow } from '../../../../shared/contract/index.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { bash, type PolicyParts, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
/** Auto mode with patterns only: `curl` is blocked, `echo` is allowed, what else comes asks a person. */
const AUTO: PolicyParts = {
  agents: '  coder: { owner: olga, mode: auto }\n  writer: { owner: olga }',
  more: "classifier: { deny: ['Bash(curl:*)'], allow: ['Bash(echo:*)'] }",
};

const store = (world: World) => memorySessionStore(world.gate.parts.state);
const row = async (world: World, agent = 'coder', sessionId = 'main') =>
  (await store(world).read(agent, sessionId)) ?? newSession(agent, sessionId);
async function change(world: World, over: Partial<SessionRow>, agent = 'coder', sessionId = 'main') {
  const read = await row(world, agent, sessionId);
  const next = { ...read, ...over, version: read.version + 1, updatedAt: new Date(world.clock.now()).toISOString() };
  if (!(await store(world).write(next))) throw new Error('the row was not written');
}

/** `n` different calls that the classifier blocks. */
async function denied(world: World, n: number, sessionId = 'main', prefix = 'd') {
  for (let i = 1; i <= n; i++)
    await world.send(bash(`${prefix}${i}`, `curl https://x.test/${prefix}${i}`, { sessionId }));
}

describe('the denial tracker', () => {
  test('asks a person after the third denial in a row, and decides again after a person’s approval', async () => {
    const world = new World(policyOf(AUTO));
    await denied(world, 3);
    expect((await world.decided('d3')).outcome).toBe('denied');
    expect(await row(world)).toMatchObject({ consecutive: 3, total: 3 });

    await world.send(bash('p4', 'echo hello'));
    expect(await world.decision('p4')).toBeUndefined();
    expect((await world.row('p4')).approval.question).toMatchObject({
      calls: [{ why: expect.stringContaining('3 denials in a row') }],
    });
    await world.click('p4', 'alice');
    expect((await world.decided('p4')).outcome).toBe('approved');
    expect(await row(world)).toMatchObject({ consecutive: 0, total: 3 });

    await world.send(bash('p5', 'echo hello again'));
    expect(await world.decided('p5')).toMatchObject({ outcome: 'approved', decidedBy: { type: 'classifier' } });
    expect(world.faults).toEqual([]);
  });

  test('an allowed call ends "in a row", and the total stays', async () => {
    const world = new World(policyOf(AUTO));
    await denied(world, 2);
    await world.send(bash('p1', 'echo fine'));
    expect(await row(world)).toMatchObject({ consecutive: 0, total: 2 });
    await denied(world, 2, 'main', 'e');
    expect((await world.decided('e2')).outcome).toBe('denied');
  });

  test('what rules decide is not counted and costs no write of the session', async () => {
    const world = new World(policyOf(AUTO));
    await world.send(bash('p1', 'rm x'));
    await world.send(bash('p2', 'git status'));
    expect((await world.decided('p1')).outcome).toBe('denied');
    expect(await row(world)).toMatchObject({ version: 0 });
  });

  test('a call that was denied is denied again without its classifier, blanks aside', async () => {
    const world = new World(policyOf(AUTO));
    await world.send(bash('p1', 'curl https://x.test'));
    await world.send(bash('p2', 'curl   https://x.test'));
    expect((await world.decided('p2')).message).toContain('denied before');
    expect(await row(world)).toMatchObject({ consecutive: 2, total: 2 });
  });

  test('the same proposal delivered three times is counted once', async () => {
    const world = new World(policyOf(AUTO));
    await Promise.all([1, 2, 3].map(() => world.send(bash('p1', 'curl https://x.test'))));
    expect(await row(world)).toMatchObject({ consecutive: 1, total: 1 });
  });

  test('of a whole batch at once exactly three are denied, then a person is asked', async () => {
    const world = new World(policyOf(AUTO));
    const { queue } = world.gate.agentSide('coder');
    for (let i = 1; i <= 8; i++)
      await queue.publish(JSON.stringify(bash(`b${i}`, `curl https://x.test/${i}`)), 'coder');
    await world.rest();
    const outcomes = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((i) => world.decision(`b${i}`)));
    expect(outcomes.filter((decision) => decision?.outcome === 'denied')).toHaveLength(3);
    expect(outcomes.filter((decision) => decision === undefined)).toHaveLength(5);
    expect(await row(world)).toMatchObject({ consecutive: 3, total: 3 });
    expect(world.faults).toEqual([]);
  });

  test('two processes race: no denial is lost and none is counted twice', async () => {
    const world = new World(policyOf(AUTO));
    const { parts } = world.gate;
    const { intake } = await import('../../../../shared/use-cases/intake/evaluation/intake.ts');
    const { memorySenderId } = await import('../../../../shared/adapters/memory/senders.ts');
    const message = (id: string) => ({
      messageId: id,
      raw: JSON.stringify(bash(id, `curl https://x.test/${id}`)),
      principal: memorySenderId('agents', 'coder'),
      firstSentAt: world.clock.now(),
      rounds: 0,
    });
    await Promise.all([...intake([message('r1'), message('r2')], parts), ...intake([message('r3')], parts)]);
    expect(await row(world)).toMatchObject({ consecutive: 3, total: 3, version: 3 });
  });

  test('new sessions do not start at zero: twenty denials of a day are enough (A3)', async () => {
    const world = new World(policyOf(AUTO));
    for (let i = 0; i < 10; i++) await denied(world, 2, `s${i}`, `s${i}-`);
    await world.send(bash('p1', 'echo hello', { sessionId: 'fresh' }));
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(24 * 60 * MINUTE);
    await world.send(bash('p2', 'echo hello', { sessionId: 'fresher' }));
    expect((await world.decided('p2')).outcome).toBe('approved');
  });

  test('a person’s refusal of what the mode left to people counts, of what a rule asks does not', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'bob', 'reject');
    expect(await row(world)).toMatchObject({ consecutive: 1, total: 1 });
    await world.send(bash('p2', 'git push origin main'));
    await world.click('p2', 'bob', 'reject');
    expect(await row(world)).toMatchObject({ consecutive: 1, total: 1 });
  });
});

describe('a person’s refusal', () => {
  test.each(['make all', 'git push origin main'])(
    'answers %s for five minutes, in every session of the agent, without another card',
    async (command) => {
      const world = new World();
      await world.send(bash('p1', command));
      await world.click('p1', 'bob', 'reject', { reason: 'the tests are red' });
      const cards = world.slack.cards.size;
      await world.clock.advance(5 * MINUTE - 2);
      await world.send(bash('p2', command));
      const again = await world.decided('p2');
      expect(again).toMatchObject({ outcome: 'denied', reasonCode: 'remembered_refusal' });
      expect(again.message).toContain('the tests are red');
      expect(world.slack.cards.size).toBe(cards);

      // The agent chooses the names of its sessions (D55).
      await world.send(bash('p3', command, { sessionId: 'other' }));
      expect(await world.decided('p3')).toMatchObject({ reasonCode: 'remembered_refusal' });
      await world.send(bash('p4', `${command} now`));
      expect(await world.decision('p4')).toBeUndefined();
      await world.clock.advance(3);
      await world.send(bash('p5', command));
      expect(await world.decision('p5')).toBeUndefined();
    },
  );

  test('a time-out is remembered by nobody', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.clock.advance(61 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
    expect(await row(world)).toMatchObject({ version: 0 });
  });
});

describe('an approval for the session', () => {
  test('answers exactly the same call, until it ends', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p2', 'make all'));
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved', reasonCode: 'cache_hit' });
    for (const [id, more] of [
      ['p3', { input: { command: 'make  all' } }],
      ['p4', { sessionId: 'other' }],
      ['p5', { cwd: '/workspace/sub' }],
    ] as const) {
      await world.send({ ...bash(id, 'make all'), ...more });
      expect(await world.decision(id), id).toBeUndefined();
    }
    await world.clock.advance(30 * MINUTE);
    await world.send(bash('p6', 'make all'));
    expect(await world.decision('p6')).toBeUndefined();
  });

  test('of all calls of the tool answers any arguments, and no other tool', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice', 'approve', { remember: 'session-all-tools' });
    await world.send(bash('p2', 'make install'));
    expect((await world.decided('p2')).outcome).toBe('approved');
    await world.send({ ...bash('p3'), toolName: 'WebFetch', input: { url: 'https://x.test' } });
    expect(await world.decision('p3')).toBeUndefined();
  });

  test('answers what an edit makes of another call: no second card, and people are named who edited it (D23)', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p2', 'make clean'));
    await world.edit('p2', 'bob', { command: 'make all' });
    const decision = await world.decided('p2');
    expect(decision).toMatchObject({ outcome: 'approved', reasonCode: 'edited', decidedBy: { id: 'T0DEMO/U0BOB' } });
    expect((await world.row('p2')).approval.round).toBe(1);
  });

  test('never answers what a rule asks or denies (G1, G5)', async () => {
    const world = new World();
    await world.send(bash('p1', 'git push origin main'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p2', 'git push origin main'));
    expect(await world.decision('p2')).toBeUndefined();
    await world.send(bash('p3', 'make all'));
    await world.click('p3', 'alice', 'approve', { remember: 'session-all-tools' });
    await world.send(bash('p4', 'rm x'));
    expect((await world.decided('p4')).outcome).toBe('denied');
    await world.send(bash('p5', 'git push origin next'));
    expect(await world.decision('p5')).toBeUndefined();
  });

  test('without a word about the session there is none (G17)', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice');
    await world.send(bash('p2', 'make all'));
    expect(await world.decision('p2')).toBeUndefined();
  });

  test('outlives another policy, but not another entry of its tool or other approvers (A17)', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    world.gate.usePolicy(policyOf({ allow: ["'Bash(ls:*)'"] }));
    await world.send(bash('p2', 'make all'));
    expect((await world.decided('p2')).outcome).toBe('approved');
    world.gate.usePolicy(policyOf({ more: 'tools: { Bash: { permissions: [Execute, Network] } }' }));
    await world.send(bash('p3', 'make all'));
    expect(await world.decision('p3')).toBeUndefined();
    world.gate.usePolicy(policyOf({ approvals: '{ approvers: security, timeout: 1h }' }));
    await world.send(bash('p4', 'make all'));
    expect(await world.decision('p4')).toBeUndefined();
  });

  test('does not count under another mode of the session or of the message', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p2', 'make all', { mode: 'dontAsk' }));
    expect((await world.decided('p2')).outcome).toBe('denied');
    await change(world, { mode: 'acceptEdits' });
    await world.send(bash('p3', 'make all'));
    expect(await world.decision('p3')).toBeUndefined();
  });
});

describe('mode and rules of a session', () => {
  test('the row’s mode counts instead of the agent’s, and a message only tightens it', async () => {
    const world = new World();
    await change(world, { mode: 'acceptEdits' });
    const write = (id: string, more = {}) => ({
      ...bash(id),
      toolName: 'Write',
      input: { file_path: '/workspace/a.ts', content: 'x' },
      ...more,
    });
    await world.send(write('p1'));
    expect((await world.decided('p1')).outcome).toBe('approved');
    await world.send(write('p2', { mode: 'plan' }));
    expect((await world.decided('p2')).outcome).toBe('denied');
    await change(world, { mode: 'plan' });
    await world.send(write('p3', { mode: 'acceptEdits' }));
    expect((await world.decided('p3')).outcome).toBe('denied');
    expect((await world.audit('p1'))[0]?.mode).toBe('acceptEdits');
  });

  test('a rule of the session holds there, until it ends', async () => {
    const world = new World();
    const expiresAt = new Date(world.clock.now() + MINUTE).toISOString();
    await change(world, {
      rules: [
        { effect: 'allow', pattern: 'Bash(make:*)', source: 'session', by: 'oncall', expiresAt },
        { effect: 'deny', pattern: 'Bash(git status:*)', source: 'session', by: 'oncall' },
      ],
    });
    await world.send(bash('p1', 'make all'));
    expect((await world.decided('p1')).outcome).toBe('approved');
    await world.send(bash('p2', 'git status'));
    expect((await world.decided('p2')).outcome).toBe('denied');
    await world.send(bash('p3', 'git status', { sessionId: 'other' }));
    expect((await world.decided('p3')).outcome).toBe('approved');
    await world.clock.advance(MINUTE);
    await world.send(bash('p4', 'make all'));
    expect(await world.decision('p4')).toBeUndefined();
  });
});

describe('a call that waits (A16)', () => {
  test('is decided with what was remembered when it was asked about', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    // Somebody approves the same call for the session meanwhile; the first still has its own question.
    await world.send(bash('p2', 'make all'));
    await world.click('p2', 'alice', 'approve', { remember: 'session' });
    expect(await world.decision('p1')).toBeUndefined();
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
  });

  test('and what tightens is read anew: a mode, a rule', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.send(bash('p2', 'make clean'));
    await change(world, { mode: 'plan' });
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
    await change(world, {
      mode: 'default',
      rules: [{ effect: 'deny', pattern: 'Bash(make:*)', source: 'session', by: 'oncall' }],
    });
    await world.click('p2', 'alice');
    expect(await world.decided('p2')).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
  });

  test('a loosened session does not decide it: the person’s answer does', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await change(world, { rules: [{ effect: 'allow', pattern: 'Bash(make:*)', source: 'session', by: 'oncall' }] });
    await world.click('p1', 'bob', 'reject');
    expect((await world.decided('p1')).outcome).toBe('denied');
  });

  test('the same run gives the same decision, however often it is made (G13)', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice');
    const { approval } = await world.row('p1');
    const journal = await world.gate.parts.journal.read(approval.pid);
    expect(journal.map(({ type }) => type).toSorted()).toEqual(['human', 'now', 'session']);
  });
});
