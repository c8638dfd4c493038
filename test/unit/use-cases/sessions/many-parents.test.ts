/**
 * Checks that no denial of an agent that may stand above a session is lost, however many may (D9).
 *
 * Runs on the memory adapters.
 */
import { describe, expect, test } from 'vitest';
import { toCopy } from '../../../../shared/adapters/memory/stores/json-copy.ts';
import type { SessionRow } from '../../../../shared/contract/index.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { sessionKey } from '../../../../shared/ports/stores/claim-store.ts';
import { choice, choicePolicy, choiceWorld } from '../choice-world.ts';
import { operateNow, outcomeOf } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `lead-${index}`);

/** A helper that any of so many agents may have started. */
function helpedBy(count: number): string {
  const leads = named(count);
  return [
    ...leads.map((name) => `  ${name}: { owner: olga }`),
    `  helper: { owner: olga, mode: bubble, parents: [${leads.join(', ')}] }`,
  ].join('\n');
}

/** So many agents, each of which may have started any other. */
const mesh = (count: number): string =>
  named(count)
    .map((name) => {
      const others = named(count).filter((other) => other !== name);
      return `  ${name}: { owner: olga, mode: bubble, parents: [${others.join(', ')}] }`;
    })
    .join('\n');

const denied = (world: World, agent: string) =>
  operateNow(world, { kind: 'add-rule', agent, effect: 'deny', pattern: 'Bash(git status:*)' });

describe('a session that nobody started', () => {
  test.each([16, 17, 64])('hears the last of %i agents that may have', async (count) => {
    const world = new World(policyOf({ agents: helpedBy(count) }));
    expect(await outcomeOf(world, bash('p1', 'git status'), 'helper')).toBe('approved rule_match');
    await denied(world, `lead-${count - 1}`);
    expect(await outcomeOf(world, bash('p2', 'git status'), 'helper')).toBe('denied parent_refused');
  });

  test('may run nothing where more may have: a denial of one that is not heard would be lost', async () => {
    const world = new World(policyOf({ agents: helpedBy(65) }));
    await denied(world, 'lead-64');
    expect(await outcomeOf(world, bash('p1', 'git status'), 'helper')).toBe('denied parent_cycle');
  });

  test('chooses no action there', async () => {
    const at = (count: number) => choiceWorld([], choicePolicy({ agents: helpedBy(count) })).world;
    expect(await outcomeOf(at(64), choice('c1', 'first'), 'helper')).toContain('answered');
    expect(await outcomeOf(at(65), choice('c1', 'first'), 'helper')).toBe('denied parent_cycle');
  });

  test('hears each of twenty agents that may start one another once', async () => {
    const world = new World(policyOf({ agents: mesh(20) }));
    expect(await outcomeOf(world, bash('p1', 'git status'), 'lead-0')).toBe('approved rule_match');
    await denied(world, 'lead-19');
    expect(await outcomeOf(world, bash('p2', 'git status'), 'lead-0')).toBe('denied parent_refused');
  });
});

const start = (world: World, agent: string, sessionId: string, over: Partial<SessionRow>) =>
  world.gate.parts.state.sessions.set(
    sessionKey(agent, sessionId),
    toCopy({ ...newSession(agent, sessionId), version: 1, ...over }),
  );

test('a session whose parents loop chooses no action: rules above it were not read', async () => {
  const { world } = choiceWorld([], choicePolicy({ agents: mesh(2) }));
  expect(await outcomeOf(world, choice('c1', 'first'), 'lead-0')).toContain('answered');
  start(world, 'lead-0', 'main', { parent: { agentId: 'lead-1', sessionId: 'main' } });
  start(world, 'lead-1', 'main', { parent: { agentId: 'lead-0', sessionId: 'main' } });
  expect(await outcomeOf(world, choice('c2', 'first'), 'lead-0')).toBe('denied parent_cycle');
});

test.each([
  ['form a loop', ['lead-1', 'lead-0'], 'denied parent_cycle'],
  ['are not listed', ['helper'], 'error parent_refused'],
])('a session below one whose parents %s runs nothing and chooses no action', async (_, above, expected) => {
  const agents = `${mesh(2)}\n  helper: { owner: olga, mode: bubble, parents: [lead-0] }`;
  const { world } = choiceWorld([], choicePolicy({ agents }));
  const ways = ['lead-0', ...above];
  for (const [index, agentId] of ways.slice(1).entries())
    start(world, ways[index] ?? '', 'main', { parent: { agentId, sessionId: 'main' } });
  expect(await outcomeOf(world, bash('p1', 'git status'), 'helper')).toMatch(/^(denied|error) parent_refused$/);
  expect(await outcomeOf(world, choice('c1', 'first'), 'helper')).toBe(expected);
});
