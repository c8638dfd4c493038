/**
 * Checks operators' settings for a session and for an agent (D58, A3).
 *
 * The stricter of the two holds, and nobody reads one for the other.
 */
import { describe, expect, test } from 'vitest';
import { family, LISTED, operateNow, outcomeOf, startHelper } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const mode = (to: string, session?: string) => ({ kind: 'set-mode', mode: to, ...(session ? { session } : {}) });
const status = (proposalId: string, sessionId = 'main') => bash(proposalId, 'git status', { sessionId });
const write = (proposalId: string) => ({
  kind: 'tool-call',
  proposalId,
  toolName: 'Write',
  input: { file_path: '/workspace/a', content: 'x' },
});

describe('the mode of an agent', () => {
  test('holds in every session, whatever the agent calls it', async () => {
    const world = new World();
    await operateNow(world, mode('plan', 'main'));
    expect(await outcomeOf(world, status('p1'))).toBe('denied plan_mode');
    expect(await outcomeOf(world, status('p2', 'another'))).toBe('approved rule_match');
    await operateNow(world, mode('plan'));
    expect(await outcomeOf(world, status('p3', 'another'))).toBe('denied plan_mode');
    await operateNow(world, mode('agent'));
    expect(await outcomeOf(world, status('p4', 'another'))).toBe('approved rule_match');
  });

  test.each([
    // session, agent, a write within the project, a command that no rule speaks of, one that a rule allows
    ['acceptEdits', 'default', 'waits', 'waits', 'approved rule_match'],
    ['default', 'acceptEdits', 'waits', 'waits', 'approved rule_match'],
    ['acceptEdits', 'plan', 'denied plan_mode', 'denied plan_mode', 'denied plan_mode'],
    ['plan', 'acceptEdits', 'denied plan_mode', 'denied plan_mode', 'denied plan_mode'],
    ['plan', 'dontAsk', 'denied plan_mode', 'denied plan_mode', 'denied plan_mode'],
    ['dontAsk', 'acceptEdits', 'denied dont_ask', 'denied dont_ask', 'approved rule_match'],
    ['bypass', 'plan', 'denied plan_mode', 'denied plan_mode', 'denied plan_mode'],
    ['acceptEdits', 'acceptEdits', 'approved accept_edits', 'waits', 'approved rule_match'],
    ['agent', 'acceptEdits', 'approved accept_edits', 'waits', 'approved rule_match'],
  ])('and the one of the session, %s and %s: the stricter holds', async (session, agent, edits, commands, ruled) => {
    const world = new World(policyOf({ more: 'bypass: { enabled: true, honoursRules: true }' }));
    await operateNow(world, mode(session, 'main'));
    await operateNow(world, mode(agent));
    expect(await outcomeOf(world, write('w'))).toBe(edits);
    expect(await outcomeOf(world, bash('c', 'make x'))).toBe(commands);
    expect(await outcomeOf(world, status('r'))).toBe(ruled);
  });

  test('and of the session: a grant is bound to both, and answers under both', async () => {
    const world = new World();
    await operateNow(world, mode('acceptEdits', 'main'));
    await operateNow(world, mode('default'));
    await world.send(bash('g', 'make x'));
    await world.click('g', 'alice', 'approve', { remember: 'session' });
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved cache_hit');
    await operateNow(world, mode('agent'));
    expect(await outcomeOf(world, bash('q', 'make x'))).toBe('waits');
  });

  test('is the owner’s to tighten only', async () => {
    const world = new World();
    expect(await operateNow(world, mode('acceptEdits'), 'owner')).toContain('own_agent');
    expect(await operateNow(world, mode('plan'), 'owner')).toContain('mode_plan');
    expect(await operateNow(world, mode('agent'), 'owner')).toContain('own_agent');
    expect(await outcomeOf(world, status('p', 'x'))).toBe('denied plan_mode');
  });
});

describe('a helper in a session that nobody started', () => {
  const helped = (world: World, proposalId: string, command = 'git status', sessionId = 'h2') =>
    outcomeOf(world, bash(proposalId, command, { sessionId }), 'helper');

  test('hears what its parent denies and what a rule asks there, and nothing that the parent allows', async () => {
    const world = new World(family());
    expect(await helped(world, 'p1')).toBe('approved rule_match');
    await operateNow(world, {
      kind: 'add-rule',
      agent: 'lead',
      session: 'main',
      effect: 'allow',
      pattern: 'Bash(make:*)',
    });
    expect(await helped(world, 'p2', 'make x')).toBe('waits');
    await operateNow(world, {
      kind: 'add-rule',
      agent: 'lead',
      session: 'main',
      effect: 'ask',
      pattern: 'Bash(git status:*)',
    });
    expect(await helped(world, 'p3')).toBe('waits');
    await operateNow(world, { kind: 'add-rule', agent: 'lead', effect: 'deny', pattern: 'Bash(git status:*)' });
    expect(await helped(world, 'p4')).toBe('denied parent_refused');
  });

  test.each<[string, string | undefined]>([
    ['main', 'main'],
    ['every session', undefined],
  ])('hears of plan mode in %s of its parent, as one that was started does', async (_, session) => {
    const world = new World(family());
    await startHelper(world);
    await operateNow(world, { ...mode('plan', session), agent: 'lead' });
    expect(await helped(world, 'p1')).toBe('denied parent_refused');
    expect(await helped(world, 'p2', 'git status', 'h')).toBe('denied parent_refused');
  });

  test('hears of every parent that the file lists, and of those above it', async () => {
    const agents = `  top: { owner: olga }
  lead: { owner: olga, mode: bubble, parents: [top, helper] }
  other: { owner: olga }
  helper: { owner: olga, mode: bubble, parents: [lead, other] }`;
    for (const agent of ['top', 'lead', 'other']) {
      const world = new World(policyOf({ more: LISTED, agents }));
      expect(await helped(world, 'p1')).toBe('approved rule_match');
      await operateNow(world, { ...mode('plan'), agent });
      expect(await helped(world, 'p2')).toBe('denied parent_refused');
    }
  });

  test('uses no approval that its parent was given', async () => {
    const world = new World(family());
    await world.send(bash('g', 'make x'), { agent: 'lead' });
    await world.click('g', 'alice', 'approve', { remember: 'session-all-tools', agent: 'lead' });
    expect(await helped(world, 'p', 'make x')).toBe('waits');
  });
});

describe('the announcement', () => {
  test.each([
    [
      mode('plan', 'main'),
      'set the mode of coder, session main, to plan',
      'in that session alone, and the agent may open another',
    ],
    [mode('plan'), 'set the mode of coder, every session, to plan', 'in every session of the agent'],
    [
      { kind: 'add-rule', session: 'main', effect: 'deny', pattern: 'Bash(make:*)' },
      'session main',
      'in that session alone',
    ],
    [{ kind: 'add-rule', effect: 'deny', pattern: 'Bash(make:*)' }, 'every session', 'in every session of the agent'],
  ])('of %o says where it holds', async (operation, what, where) => {
    const world = new World();
    const text = await operateNow(world, operation);
    expect(text).toContain(what);
    expect(text).toContain(where);
  });
});
