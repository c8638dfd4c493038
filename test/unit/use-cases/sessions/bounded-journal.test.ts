/**
 * Checks that the journal stays small, however many rules a session has (A15, A16).
 *
 * The approval of such a session ends as others do.
 */
import { describe, expect, test } from 'vitest';
import { copyOf, toCopy } from '../../../../shared/adapters/memory/stores/json-copy.ts';
import { EVERY_SESSION, type SessionEntry, type SessionRule } from '../../../../shared/contract/index.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { sessionKey } from '../../../../shared/ports/stores/claim-store.ts';
import { boundedEntry, MAX_RULE_BYTES } from '../../../../shared/use-cases/sessions/bounded-chain.ts';
import { bash, World } from '../world.ts';

const rule = (effect: SessionRule['effect'], pattern: string, reason = 'a test'): SessionRule => ({
  effect,
  pattern,
  source: 'session',
  reason,
  by: 'oncall',
});
/** As many as a session may have, none about what is proposed here. */
const others = (effect: SessionRule['effect'], count: number): SessionRule[] =>
  Array.from({ length: count }, (_, index) =>
    rule(effect, `Bash(tool-${index} ${'x'.repeat(200)}:*)`, 'y'.repeat(290)),
  );

function worldWith(...own: readonly SessionRule[]): World {
  const world = new World();
  remember(world, 'main', [...others('deny', 40), ...others('allow', 40), ...own]);
  remember(world, EVERY_SESSION, others('ask', 100));
  return world;
}

function remember(world: World, session: string, rules: readonly SessionRule[]): void {
  const row = { ...newSession('coder', session), version: 1, rules: [...rules], updatedAt: '2026-01-01T00:00:00.000Z' };
  world.gate.parts.state.sessions.set(sessionKey('coder', session), toCopy(row));
}

function entryOf(world: World, proposalId: string): SessionEntry {
  const entries = [...(world.gate.parts.state.journals.get(world.pid(proposalId))?.values() ?? [])];
  const found = entries.map((kept) => copyOf(kept) as SessionEntry).find(({ type }) => type === 'session');
  if (!found) throw new Error('the journal has no entry of the session');
  return found;
}

const bytes = (value: unknown): number => JSON.stringify(value).length;
const ASKS = rule('ask', 'Bash(git status:*)');
const batch = {
  kind: 'tool-call',
  proposalId: 'p1',
  calls: [
    { id: 'a', toolName: 'Bash', input: { command: 'make all' } },
    { id: 'b', toolName: 'Bash', input: { command: 'git status' } },
  ],
};

describe('with 180 long rules', () => {
  test('an entry keeps the rules about the proposal, and a digest of all', async () => {
    const world = worldWith(ASKS, rule('allow', 'Bash(make:*)'));
    await world.send(bash('p1', 'git status'));
    const [own] = entryOf(world, 'p1').levels;
    expect(own?.rules).toEqual([ASKS]);
    expect(own?.rulesDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(bytes(entryOf(world, 'p1'))).toBeLessThan(MAX_RULE_BYTES + 1_000);
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });

  test.each([
    ['none of them changes', (own: SessionRule[]) => own],
    ['another one comes', (own: SessionRule[]) => [...own, rule('deny', 'Bash(rm:*)')]],
    ['the one that asked goes', (own: SessionRule[]) => own.filter(({ pattern }) => pattern !== ASKS.pattern)],
    ['one that allows the asked call comes', (own: SessionRule[]) => [...own, rule('allow', 'Bash(git status:*)')]],
  ])('a batch of an allowed and an asked call is approved by people: %s', async (_, changed) => {
    const own = [ASKS, rule('allow', 'Bash(make:*)')];
    const world = worldWith(...own);
    await world.send(batch);
    remember(world, 'main', changed([...others('deny', 40), ...others('allow', 40), ...own]));
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });

  test.each([
    ['a denial of the asked call comes', rule('deny', 'Bash(git status:*)')],
    ['a denial of the allowed call comes', rule('deny', 'Bash(make:*)')],
  ])('it is not: %s', async (_, denial) => {
    const own = [ASKS, rule('allow', 'Bash(make:*)')];
    const world = worldWith(...own);
    await world.send(batch);
    remember(world, 'main', [...others('deny', 40), ...others('allow', 40), ...own, denial]);
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).not.toBe('approved');
  });
});

test('few rules are kept as they are, as the previous release kept them', async () => {
  const world = new World();
  remember(world, 'main', [ASKS, rule('deny', 'Bash(curl:*)')]);
  await world.send(bash('p1', 'git status'));
  const [own] = entryOf(world, 'p1').levels;
  expect(own?.rules).toHaveLength(2);
  expect(own).not.toHaveProperty('rulesDigest');
});

test('seventeen levels and sixteen chains above them, with the longest rules there are, stay within 32 KB', () => {
  const level = (depth: number) => ({
    agent: `agent-${depth}`,
    sessionId: 'main',
    mode: 'bubble' as const,
    rules: Array.from({ length: 200 }, () => rule('deny', `Edit(${'z'.repeat(990)})`, 'r'.repeat(300))),
    consecutive: 0,
    total: 0,
    calls: [],
  });
  const levels = Array.from({ length: 17 }, (_, depth) => level(depth));
  const possible = Array.from({ length: 16 }, () => ({ levels: levels.slice(0, 4), end: 'root' as const }));
  const entry: SessionEntry = {
    type: 'session',
    place: 'session',
    round: 0,
    at: '2026-01-01T00:00:00.000Z',
    levels,
    end: 'root',
    possible,
  };
  expect(bytes(boundedEntry(entry, { ...bash('p1'), kind: 'tool-call', calls: [] } as never))).toBeLessThan(32_768);
});
