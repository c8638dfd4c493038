/**
 * Checks a session's memory of calls and answers, and its bounds (D11, D12, D22, D24, G1, G16).
 *
 * Covers D11, D12, D22, D24, G1 and G16.
 */
import { describe, expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { EVERY_SESSION, type HumanAnswer } from '../../../../shared/contract/index.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { changesAfterPeople, changesOf, rememberOf } from '../../../../shared/use-cases/sessions/session-updates.ts';
import { bash, PEOPLE, type PolicyParts, policyOf, World } from '../world.ts';

const store = (world: World) => memorySessionStore(world.gate.parts.state);
const row = async (world: World, sessionId = 'main') =>
  (await store(world).read('coder', sessionId)) ?? newSession('coder', sessionId);
async function with2Denials(parts?: PolicyParts) {
  const world = new World(policyOf(parts));
  const read = await row(world);
  await store(world).write({ ...read, consecutive: 2, total: 2, version: 1 });
  return world;
}
const two = (proposalId: string, ...commands: string[]) => ({
  kind: 'tool-call',
  proposalId,
  calls: commands.map((command, n) => ({ id: `c${n}`, toolName: 'Bash', input: { command } })),
});
const outcomeOf = async (world: World, id: string) => {
  const decision = await world.decision(id);
  return decision ? `${decision.outcome} ${decision.reasonCode}` : 'waits';
};

describe('a refusal', () => {
  test('of a batch is of the calls that were asked about, and of no other', async () => {
    const world = new World();
    await world.send(two('p1', 'git status', 'make all'));
    await world.click('p1', 'bob', 'reject');
    expect((await row(world, EVERY_SESSION)).refusals).toHaveLength(1);
    await world.send(bash('p2', 'git status'));
    expect((await world.decided('p2')).outcome).toBe('approved');
    await world.send(bash('p3', 'make all'));
    expect(await outcomeOf(world, 'p3')).toBe('denied remembered_refusal');
  });

  test('of one call of a batch, with its own reason, is of that one; the other is approved', async () => {
    const world = new World();
    await world.send(two('p1', 'make all', 'make clean'));
    const calls = [
      { id: 'c0', choice: 'approve' },
      { id: 'c1', choice: 'reject', reason: 'keep the build' },
    ] as const;
    await world.click('p1', 'bob', 'approve', { calls, reason: 'as said' });
    expect((await row(world, EVERY_SESSION)).refusals).toMatchObject([{ by: 'U0BOB', reason: 'keep the build' }]);
    await world.send(bash('p2', 'make clean'));
    expect(await world.decided('p2')).toMatchObject({ reasonCode: 'remembered_refusal' });
    await world.send(bash('p3', 'make all'));
    expect(await outcomeOf(world, 'p3')).toBe('waits');
  });

  test('of what a rule denies by now is not kept: the rule says it', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    world.gate.usePolicy(policyOf({ deny: ["'Bash(make:*)'"] }));
    await world.click('p1', 'bob', 'reject');
    expect(await row(world)).toMatchObject({ refusals: [], consecutive: 0 });
    expect(await row(world, EVERY_SESSION)).toMatchObject({ refusals: [] });
  });
});

describe('a streak of denials', () => {
  test('does not end by silence', async () => {
    const world = await with2Denials();
    await world.send(bash('p1', 'make all'));
    await world.clock.advance(61 * 60_000);
    expect((await world.decided('p1')).outcome).toBe('expired');
    expect(await row(world)).toMatchObject({ consecutive: 2 });
  });

  test('does not end by the approval of another call of the batch alone: what was rejected counts', async () => {
    const world = await with2Denials();
    await world.send(two('p1', 'make all', 'make clean'));
    const calls = [
      { id: 'c0', choice: 'approve' },
      { id: 'c1', choice: 'reject', reason: 'no' },
    ] as const;
    await world.click('p1', 'bob', 'approve', { calls });
    expect(await row(world)).toMatchObject({ consecutive: 1, total: 3 });
  });
});

describe('an approval for the session', () => {
  const SEVERE = 'tools: { Bash: { permissions: [Execute], severity: high } }';
  test.each<[string, Record<string, unknown>, PolicyParts, number]>([
    ['what nothing speaks of', bash('p1', 'make all'), {}, 1],
    ['what a rule asks', bash('p1', 'git push origin main'), {}, 0],
    ['what needs a person each time, without a rule', bash('p1', 'find / -delete'), {}, 0],
    ['what a pause asks', bash('p1', 'git status', { paused: true }), {}, 0],
    ['what is of high severity', bash('p1', 'make all'), { more: SEVERE }, 0],
  ])('is kept of %s: %#', async (_, message, parts, grants) => {
    const world = new World(policyOf(parts));
    const { paused, ...sent } = message;
    if (paused) {
      const pause = { kind: 'pause', operationId: 'o1', reason: 'look', scope: { all: true }, effect: 'ask' };
      world.gate.operateAs('oncall', JSON.stringify(pause));
      await world.rest();
    }
    await world.send(sent);
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    if (parts.more) await world.click('p1', 'bob', 'approve', { remember: 'session' });
    expect((await world.decided('p1')).outcome).toBe('approved');
    expect((await row(world)).grants).toHaveLength(grants);
  });

  test.each<[string, PolicyParts, string]>([
    ['its agent', { agents: '  coder: { owner: olga, mode: acceptEdits }' }, ''],
    ['its own row', {}, 'acceptEdits'],
    ['its own row, not its agent', { agents: '  coder: { owner: olga, mode: plan }' }, 'acceptEdits'],
  ])('counts in a session whose mode is that of %s', async (_, parts, mode) => {
    const world = new World(policyOf(parts));
    if (mode) await store(world).write({ ...(await row(world)), mode: 'acceptEdits', version: 1 });
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p2', 'make all'));
    expect(await outcomeOf(world, 'p2')).toBe('approved cache_hit');
  });

  test('and a refusal name all who gave them, in 300 characters', () => {
    const world = new World();
    const call = { id: 'c', toolName: 'Bash', input: { command: 'make all' } };
    const verdict = { verdict: 'ask', reason: 'classifier', source: 'mode_dispatch', message: '' } as const;
    const outcome = {
      calls: [{ call, actionDigest: null, verdict, trace: [] }],
      approved: true,
      allowed: new Set(['c']),
      classified: false,
      requester: PEOPLE.olga,
    };
    const given = (result: 'approved' | 'rejected', ...users: string[]) => {
      const by = users.map((user) => ({ person: { team: 'T0DEMO', user }, name: 'Somebody' }));
      const at = '1970-01-01T00:00:00.000Z';
      const answer = { type: 'human', at, calls: ['c'], result, by, remember: 'session' } as unknown as HumanAnswer;
      const always = newSession('coder', EVERY_SESSION);
      const rows = { own: newSession('coder', 'main'), always, child: undefined, day: '2026-11-21', now: 0 };
      const terms = { lifetimeMs: 1_000, shared: false };
      const written = changesAfterPeople(outcome, answer, rows, terms, world.gate.parts)?.rows ?? [];
      return result === 'rejected' ? written.find(({ sessionId }) => sessionId === EVERY_SESSION) : written[0];
    };
    const [one, other] = ['A'.repeat(200), 'B'.repeat(200)];
    const whole = `${one} and ${other}`.slice(0, 300);
    expect(given('rejected', one, other)?.refusals).toMatchObject([{ by: whole }]);
    expect(given('approved', one, other)?.grants).toMatchObject([
      { approvedBy: whole, givenBy: [{ user: one }, { user: other }], expiresAt: '1970-01-01T00:00:01.000Z' },
    ]);
    expect(given('rejected', 'U0BOB')?.refusals[0]).not.toHaveProperty('reason');
    expect(given('approved')?.grants[0]).toMatchObject({ approvedBy: 'A person' });
    expect(given('approved')?.grants[0]).not.toHaveProperty('givenBy');
  });

  test('is what all who approved said, the narrowest; who rejected says nothing of it', () => {
    const vote = (choice: string, remember?: string) => ({ choice, ...(remember ? { remember } : {}) });
    const of = (...votes: unknown[]) => rememberOf({ votes } as never);
    expect(of(vote('approve', 'session-all-tools'), vote('approve', 'session'))).toBe('session');
    expect(of(vote('approve', 'session-all-tools'))).toBe('session-all-tools');
    expect(of(vote('approve', 'session'), vote('approve'))).toBeUndefined();
    expect(of(vote('approve', 'session'), vote('reject'))).toBe('session');
    expect(of(vote('reject'))).toBeUndefined();
  });
});

describe('recent calls', () => {
  const AUTO: PolicyParts = {
    agents: '  coder: { owner: olga, mode: auto }',
    more: "classifier: { deny: ['Bash(curl:*)'], allow: ['Bash(echo:*)', Write] }",
  };
  test('are those of runs that asked a classifier, patterns too', async () => {
    const world = new World(policyOf(AUTO));
    await world.send(bash('p1', 'echo hi'));
    await world.send(bash('p2', 'git status'));
    const { recent } = await row(world);
    expect(recent).toMatchObject([{ toolName: 'Bash', verdict: 'allow', files: [] }]);
  });

  test('and not those about which only a hook was asked', async () => {
    const hooks = { after: () => () => undefined, caller: { call: async () => '{"decision":"allow"}' } };
    const world = new World(policyOf({ more: 'hooks: { review: { function: review } }' }), { hooks });
    await world.send(bash('p1', 'make all'));
    expect(await outcomeOf(world, 'p1')).toBe('approved hook');
    expect(await row(world)).toMatchObject({ version: 0, recent: [] });
  });

  test('name tools and files by 128 and 300 characters at most; what is no text names no file', () => {
    const world = new World();
    const own = newSession('coder', 'main');
    const always = newSession('coder', EVERY_SESSION);
    const rows = { own, always, child: undefined, day: '2026-11-21', now: world.clock.now() };
    const changes = (input: unknown) => {
      const call = { id: 'c', toolName: 'T'.repeat(200), input };
      const verdict = { verdict: 'ask', reason: 'classifier', source: 'mode_dispatch', message: '' } as const;
      const calls = [{ call, actionDigest: null, verdict, trace: [] }];
      return changesOf({ calls, approved: false, classified: true, requester: PEOPLE.olga }, rows, world.gate.parts);
    };
    const long = changes({ file_path: 'f'.repeat(400), path: 7, notebook_path: 'a.ipynb' });
    expect(long?.rows).toEqual([]);
    expect(long?.recents?.[0]?.recent).toMatchObject([
      { toolName: 'T'.repeat(128), files: ['f'.repeat(300), 'a.ipynb'], verdict: 'ask' },
    ]);
    expect(long).not.toHaveProperty('denials');
    for (const input of [null, 'text', ['a']]) expect(changes(input)?.recents?.[0]?.recent[0]?.files).toEqual([]);
    expect(
      changesOf({ calls: [], approved: true, classified: true, requester: PEOPLE.olga }, rows, world.gate.parts),
    ).toBeUndefined();
  });
});
