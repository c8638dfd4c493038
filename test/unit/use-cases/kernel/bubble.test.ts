/**
 * Checks that the sessions above a sub-agent judge its calls again (D9, A3).
 *
 * Runs on the memory adapters.
 */
import { describe, expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import type { SessionRow } from '../../../../shared/contract/index.ts';
import { EVERY_SESSION } from '../../../../shared/contract/session.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { operateNow, outcomeOf } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const AGENTS = `  lead: { owner: olga, mode: acceptEdits }
  helper: { owner: olga, mode: bubble, parents: [lead, helper] }
  loner: { owner: olga, mode: bubble }`;

const world = () => new World(policyOf({ agents: AGENTS }));
const write = (proposalId: string, more = {}) => ({
  ...bash(proposalId),
  toolName: 'Write',
  input: { file_path: '/workspace/a.ts', content: 'x' },
  ...more,
});
const helper = { agent: 'helper' };

async function change(on: World, agent: string, sessionId: string, over: Partial<SessionRow>) {
  const store = memorySessionStore(on.gate.parts.state);
  const read = (await store.read(agent, sessionId)) ?? newSession(agent, sessionId);
  await store.write({ ...read, ...over, version: read.version + 1, updatedAt: '2026-11-21T09:00:00.000Z' });
}

/** The lead's session `main` starts the helper's session `h1`, with an allowed call. */
async function started(on: World, sessionId = 'h1') {
  const starts = { agentId: 'helper', sessionId };
  await on.send(bash(`start-${sessionId}`, 'git status', { starts }), { agent: 'lead' });
  expect((await on.decided(`start-${sessionId}`, 'lead')).outcome).toBe('approved');
}

describe('a session that an approved call of its parent started', () => {
  test('is judged under the parent’s mode and session', async () => {
    const on = world();
    await started(on);
    // The helper's own mode decides nothing; the lead's acceptEdits allows the edit.
    await on.send(write('p1', { sessionId: 'h1' }), helper);
    expect((await on.decided('p1', 'helper')).outcome).toBe('approved');
    await change(on, 'lead', 'main', { mode: 'plan' });
    await on.send(write('p2', { sessionId: 'h1' }), helper);
    expect((await on.decided('p2', 'helper')).outcome).toBe('denied');
  });

  test('is asked about by a person after so many of its parent’s denials on one day, in a new session too (D12)', async () => {
    const on = new World(policyOf({ agents: AGENTS, more: 'denials: { total: 2 }' }));
    for (const sessionId of ['h1', 'h2']) await started(on, sessionId);
    await change(on, 'lead', 'main', { mode: 'plan' });
    for (const id of ['p1', 'p2']) {
      await on.send(write(id, { sessionId: 'h1' }), helper);
      expect((await on.decided(id, 'helper')).outcome).toBe('denied');
    }
    // The parent would allow the edit now.
    await change(on, 'lead', 'main', { mode: 'acceptEdits' });
    await on.send(write('p3', { sessionId: 'h2' }), helper);
    expect(await on.decision('p3', 'helper')).toBeUndefined();
  });

  test('what the parent would ask a person, a person is asked for the helper', async () => {
    const on = world();
    await started(on);
    await on.send(bash('p1', 'make all', { sessionId: 'h1' }), helper);
    expect(await on.decision('p1', 'helper')).toBeUndefined();
    await on.click('p1', 'alice', 'approve', { agent: 'helper' });
    expect((await on.decided('p1', 'helper')).outcome).toBe('approved');
  });

  test('a deny rule of the parent’s session wins over an allow rule of the file, and over the helper’s own', async () => {
    const on = world();
    await started(on);
    await on.send(bash('p1', 'git status', { sessionId: 'h1' }), helper);
    expect((await on.decided('p1', 'helper')).outcome).toBe('approved');
    await change(on, 'lead', 'main', {
      rules: [{ effect: 'deny', pattern: 'Bash(git status:*)', source: 'session', by: 'oncall' }],
    });
    await change(on, 'helper', 'h1', {
      rules: [{ effect: 'allow', pattern: 'Bash(git status:*)', source: 'session', by: 'oncall' }],
    });
    await on.send(bash('p2', 'git status', { sessionId: 'h1' }), helper);
    expect((await on.decided('p2', 'helper')).outcome).toBe('denied');
  });

  test('an ask rule of the parent’s session wins over an allow rule of the helper’s (G5)', async () => {
    const on = world();
    await started(on);
    const rule = { pattern: 'Bash(make:*)', source: 'session', by: 'oncall' } as const;
    await change(on, 'helper', 'h1', { rules: [{ effect: 'allow', ...rule }] });
    await on.send(bash('p1', 'make a', { sessionId: 'h1' }), helper);
    expect((await on.decided('p1', 'helper')).outcome).toBe('approved');
    await change(on, 'lead', 'main', { rules: [{ effect: 'ask', ...rule }] });
    await on.send(bash('p2', 'make b', { sessionId: 'h1' }), helper);
    expect(await on.decision('p2', 'helper')).toBeUndefined();
    await on.click('p2', 'alice', 'approve', { agent: 'helper' });
    expect((await on.decided('p2', 'helper')).outcome).toBe('approved');
  });

  test.each([
    ['started by its parent', 'h1'],
    ['that nobody started', 'h2'],
  ])(
    'a brake on the parent holds for what the helper may do by its own rules, in a session %s',
    async (_, sessionId) => {
      const on = world();
      await started(on);
      const call = (id: string) => outcomeOf(on, bash(id, `make ${id}`, { sessionId }), 'helper');
      await change(on, 'helper', sessionId, {
        rules: [{ effect: 'allow', pattern: 'Bash(make:*)', source: 'session', by: 'oncall' }],
      });
      expect(await call('p1')).toBe('approved rule_match');
      const scope = { agent: 'lead' };
      await operateNow(on, { kind: 'pause', agent: undefined, scope, effect: 'ask' });
      expect(await call('p2')).toBe('waits');
      const { question } = (await on.row('p2', 'helper')).approval;
      expect(question).toMatchObject({ calls: [{ why: 'An operator wants a person asked.' }] });
      await on.click('p2', 'alice', 'approve', { agent: 'helper' });
      expect((await on.decided('p2', 'helper')).outcome).toBe('approved');
      await operateNow(on, { kind: 'pause', agent: undefined, scope, effect: 'lift' });
      expect(await call('p3')).toBe('approved rule_match');
    },
  );

  test.each([
    ['falls through', {}, 'approved rule_match'],
    ['wants a person', { decision: 'ask' }, 'waits'],
    ['gives no usable answer', 'a text', 'waits'],
    ['denies', { decision: 'deny' }, 'denied parent_refused'],
  ])(
    'a hook of the parent that %s is heard about what the helper may do by its own rules',
    async (_, answer, outcome) => {
      const caller = { call: async () => JSON.stringify(answer) };
      const hooks = 'hooks: { review: { function: review, agents: [lead], tools: [Bash] } }';
      const on = new World(policyOf({ agents: AGENTS, more: hooks }), {
        hooks: { after: () => () => undefined, caller },
      });
      const parent = { agentId: 'lead', sessionId: 'main' };
      const rule = { effect: 'allow', pattern: 'Bash(make:*)', source: 'session', by: 'oncall' } as const;
      await change(on, 'helper', 'h1', { parent, rules: [rule] });
      expect(await outcomeOf(on, bash('p1', 'make a', { sessionId: 'h1' }), 'helper')).toBe(outcome);
    },
  );

  test('the helper’s own deny wins over a parent that allows', async () => {
    const on = world();
    await started(on);
    await change(on, 'helper', 'h1', {
      rules: [{ effect: 'deny', pattern: 'Write', source: 'session', by: 'oncall' }],
    });
    await on.send(write('p1', { sessionId: 'h1' }), helper);
    expect((await on.decided('p1', 'helper')).outcome).toBe('denied');
  });

  test('a denial above while the call waits for people wins over them', async () => {
    const on = world();
    await started(on);
    await on.send(bash('p1', 'make all', { sessionId: 'h1' }), helper);
    await change(on, 'lead', 'main', { mode: 'dontAsk' });
    await on.click('p1', 'alice', 'approve', { agent: 'helper' });
    expect(await on.decided('p1', 'helper')).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
  });

  test('a grant of the parent answers only calls that run in the folder that it was given for (D22, D52)', async () => {
    const elsewhere = AGENTS.replace('mode: bubble, parents', 'mode: bubble, projectRoot: /prod, parents');
    const on = new World(policyOf({ agents: elsewhere }));
    await started(on);
    await on.send(bash('given', 'make x'), { agent: 'lead' });
    await on.click('given', 'alice', 'approve', { agent: 'lead', remember: 'session' });
    await on.send(bash('again', 'make x'), { agent: 'lead' });
    expect((await on.decided('again', 'lead')).reasonCode).toBe('cache_hit');
    await on.send(bash('p1', 'make x', { sessionId: 'h1' }), helper);
    expect(await on.decision('p1', 'helper')).toBeUndefined();
    await on.send(bash('p2', 'make x', { sessionId: 'h1', cwd: '/prod' }), helper);
    expect(await on.decision('p2', 'helper')).toBeUndefined();
  });

  test('only an approved call starts it: a denied one does not, one that waits does once it is approved', async () => {
    const on = world();
    const starts = { agentId: 'helper', sessionId: 'h1' };
    await on.send(bash('p1', 'rm x', { starts }), { agent: 'lead' });
    await on.send(bash('p2', 'make helper', { starts }), { agent: 'lead' });
    await on.send(write('p3', { sessionId: 'h1' }), helper);
    expect(await on.decision('p3', 'helper')).toBeUndefined();
    await on.click('p2', 'alice', 'approve', { agent: 'lead' });
    await on.send(write('p4', { sessionId: 'h1', input: { file_path: '/workspace/b.ts', content: 'x' } }), helper);
    expect((await on.decided('p4', 'helper')).outcome).toBe('approved');
  });
});

describe('what is not a parent', () => {
  test('a session that nobody started asks a person, whatever parent its message names', async () => {
    const on = world();
    await on.send(write('p1'), helper);
    await on.send(write('p2', { parentAgentId: 'lead', parentSessionId: 'main' }), helper);
    await on.send(write('p3'), { agent: 'loner' });
    for (const [id, agent] of [
      ['p1', 'helper'],
      ['p2', 'helper'],
      ['p3', 'loner'],
    ] as const)
      expect((await on.look.approvals.read(on.pid(id, agent)))?.approval.status, id).toBe('pending');
  });

  test('an agent that the file does not list as parent is an error, in the message and as the one that starts', async () => {
    const on = world();
    await on.send(write('p1', { parentAgentId: 'loner' }), helper);
    expect(await on.decided('p1', 'helper')).toMatchObject({ outcome: 'error', reasonCode: 'unlisted_parent' });
    await on.send(bash('p2', 'git status', { starts: { agentId: 'helper', sessionId: 'h1' } }), { agent: 'loner' });
    expect(await on.decided('p2', 'loner')).toMatchObject({ outcome: 'error', reasonCode: 'unlisted_parent' });
    await on.send(bash('p3', 'git status', { starts: { agentId: 'nobody', sessionId: 'h1' } }), { agent: 'lead' });
    expect((await on.decided('p3', 'lead')).outcome).toBe('error');
  });

  test('a session does not start itself, though its agent may start others of its own', async () => {
    const on = world();
    await started(on);
    const starts = { agentId: 'helper', sessionId: 'h1' };
    await on.send(bash('p1', 'git status', { sessionId: 'h1', starts }), helper);
    expect(await on.decided('p1', 'helper')).toMatchObject({ outcome: 'error', reasonCode: 'unlisted_parent' });
    await on.send(bash('p2', 'git status', { sessionId: 'h1', starts: { ...starts, sessionId: 'h2' } }), helper);
    expect((await on.decided('p2', 'helper')).outcome).toBe('approved');
  });

  test('an agent that a later policy no longer names, and that a waiting call was judged by, is an error', async () => {
    const on = world();
    await started(on);
    await on.send(bash('p1', 'make all', { sessionId: 'h1' }), helper);
    on.gate.usePolicy(policyOf({ agents: '  helper: { owner: olga, mode: bubble }' }));
    await on.click('p1', 'alice', 'approve', { agent: 'helper' });
    const decision = await on.decided('p1', 'helper');
    expect(decision.outcome).toBe('error');
    expect(decision.message).toContain('no longer lists an agent');
  });

  test('a parent that a later policy no longer lists is an error', async () => {
    const on = world();
    await started(on);
    on.gate.usePolicy(policyOf({ agents: AGENTS.replace('[lead, helper]', '[helper]') }));
    await on.send(bash('p1', 'git status', { sessionId: 'h1' }), helper);
    expect((await on.decided('p1', 'helper')).outcome).toBe('error');
  });

  test('a session that its parent starts again stays as it is', async () => {
    const on = world();
    await started(on);
    await on.send(bash('p1', 'git status', { starts: { agentId: 'helper', sessionId: 'h1' } }), { agent: 'lead' });
    expect((await on.decided('p1', 'lead')).outcome).toBe('approved');
    expect(await memorySessionStore(on.gate.parts.state).read('helper', 'h1')).toMatchObject({ version: 1 });
  });

  test.each([
    [{ parentAgentId: 'lead' }, 'approved'],
    [{ parentAgentId: 'helper' }, 'not_your_parent'],
    [{ parentSessionId: 'main' }, 'approved'],
    [{ parentSessionId: 'second' }, 'not_your_parent'],
    [{ parentAgentId: 'helper', parentSessionId: 'main' }, 'not_your_parent'],
    [{ parentAgentId: 'lead', parentSessionId: 'second' }, 'not_your_parent'],
  ])('a message may name what it knows of its parent, and nothing else: %j: %s', async (named, expected) => {
    const on = world();
    await started(on);
    await on.send(write('p1', { sessionId: 'h1', ...named }), helper);
    const { outcome, reasonCode } = await on.decided('p1', 'helper');
    expect([outcome, reasonCode]).toContain(expected);
  });

  test('a session has one parent: another one cannot take it, its messages cannot change it', async () => {
    const on = world();
    await started(on);
    const starts = { agentId: 'helper', sessionId: 'h1' };
    await on.send(bash('p1', 'git status', { starts, sessionId: 'second' }), { agent: 'lead' });
    expect(await on.decided('p1', 'lead')).toMatchObject({ outcome: 'error', reasonCode: 'session_has_parent' });
    await on.send(write('p2', { sessionId: 'h1', parentAgentId: 'lead', parentSessionId: 'second' }), helper);
    expect(await on.decided('p2', 'helper')).toMatchObject({ outcome: 'error', reasonCode: 'not_your_parent' });
    await on.send(write('p3', { sessionId: 'h1', parentAgentId: 'lead', parentSessionId: 'main' }), helper);
    expect((await on.decided('p3', 'helper')).outcome).toBe('approved');
  });
});

describe('chains', () => {
  const chain = async (on: World, length: number, top: { agentId: string; sessionId: string }) => {
    for (let i = 0; i < length; i++)
      await change(on, 'helper', `c${i}`, {
        parent: i === length - 1 ? top : { agentId: 'helper', sessionId: `c${i + 1}` },
      });
  };

  test('go up to the root, sixteen parents at most', async () => {
    const on = world();
    await chain(on, 16, { agentId: 'lead', sessionId: 'main' });
    await on.send(write('p1', { sessionId: 'c0' }), helper);
    expect((await on.decided('p1', 'helper')).outcome).toBe('approved');
    await change(on, 'helper', 'c-1', { parent: { agentId: 'helper', sessionId: 'c0' } });
    await on.send(write('p2', { sessionId: 'c-1' }), helper);
    expect(await on.decided('p2', 'helper')).toMatchObject({ outcome: 'denied', reasonCode: 'bubble' });
  });

  test.each([
    ['default', 'bubble'],
    ['bubble', 'default'],
  ] as const)(
    'ask what a rule of the root asks, where the level between is in %s for the session and in %s for all',
    async (own, always) => {
      const middle = '\n  middle: { owner: olga, parents: [lead] }';
      const on = new World(policyOf({ agents: AGENTS.replace('[lead, helper]', '[lead, helper, middle]') + middle }));
      const rule = { pattern: 'Bash(make:*)', source: 'session', by: 'oncall' } as const;
      await change(on, 'lead', 'main', { rules: [{ effect: 'ask', ...rule }] });
      await change(on, 'middle', 'm1', { parent: { agentId: 'lead', sessionId: 'main' }, mode: own });
      await change(on, 'middle', EVERY_SESSION, { mode: always });
      const parent = { agentId: 'middle', sessionId: 'm1' };
      await change(on, 'helper', 'h1', { parent, rules: [{ effect: 'allow', ...rule }] });
      expect(await outcomeOf(on, bash('p1', 'make a', { sessionId: 'h1' }), 'helper')).toBe('waits');
    },
  );

  test('that loop are denied, also for what a rule allows', async () => {
    const on = world();
    await chain(on, 3, { agentId: 'helper', sessionId: 'c0' });
    await on.send(bash('p1', 'git status', { sessionId: 'c1' }), helper);
    expect(await on.decided('p1', 'helper')).toMatchObject({ outcome: 'denied', reasonCode: 'parent_cycle' });
    expect(on.faults).toEqual([]);
  });
});
