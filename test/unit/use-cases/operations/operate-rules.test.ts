/**
 * Checks rules that operators add to a session or to an agent (D10, D36, A3, A5).
 *
 * Covers their effect, their end, and what they never lift.
 */
import { describe, expect, test } from 'vitest';
import { memorySenderId } from '../../../../shared/adapters/memory/senders.ts';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { EVERY_SESSION } from '../../../../shared/contract/index.ts';
import { performOperation } from '../../../../shared/use-cases/operations/perform-operation.ts';
import { bash, policyOf, World } from '../world.ts';

const DAY = 24 * 60 * 60 * 1000;
let operations = 0;

/** The code that the record has of it. */
async function say(world: World, operation: Record<string, unknown>, operator = 'oncall'): Promise<string | undefined> {
  const whole = { kind: 'add-rule', operationId: `o${++operations}`, reason: 'a test', agent: 'coder', ...operation };
  await world.clock.advance(1);
  world.gate.operateAs(operator, JSON.stringify(whole));
  await world.rest();
  const [record] = await world.look.audit.recent('-operations', 1);
  return record?.entry.reasonCode;
}
const at = (world: World, ms: number) => new Date(world.clock.now() + ms).toISOString();
const rowAt = (world: World, session: string) => memorySessionStore(world.gate.parts.state).read('coder', session);

/** The outcome of a command in a session. */
async function outcome(world: World, command: string, sessionId = 'main'): Promise<string> {
  const id = `p${++operations}`;
  await world.send(bash(id, command, { sessionId }));
  return (await world.decision(id))?.outcome ?? 'waits';
}
const MAKE = { effect: 'allow', pattern: 'Bash(make:*)' };

test('an allow for the session allows there, until its time, and nowhere else', async () => {
  const world = new World();
  expect(await say(world, { ...MAKE, session: 'main', until: at(world, 60_000) })).toBe('rule_added_allow');
  expect(world.slack.notices.join()).toContain('add the rule allow Bash(make:*) for coder, session main until');
  expect((await rowAt(world, 'main'))?.rules).toMatchObject([{ source: 'session', by: 'oncall', reason: 'a test' }]);
  expect(await outcome(world, 'make all')).toBe('approved');
  expect(await outcome(world, 'make all', 'other')).toBe('waits');
  expect(await outcome(world, 'make all && rm -rf build')).toBe('denied');
  await world.clock.advance(60_000);
  expect(await outcome(world, 'make all')).toBe('waits');
});

test('an always is a user rule of every session of the agent; it outlives the policy version, and ends', async () => {
  const world = new World();
  expect(await say(world, { ...MAKE, until: at(world, 2 * DAY) })).toBe('rule_added_allow');
  expect((await rowAt(world, EVERY_SESSION))?.rules).toMatchObject([{ source: 'user', by: 'oncall' }]);
  expect(await outcome(world, 'make all', 'one')).toBe('approved');
  world.gate.usePolicy(policyOf({ allow: ["'Bash(ls:*)'"] }));
  expect(await outcome(world, 'make all', 'two')).toBe('approved');
  await world.clock.advance(2 * DAY);
  expect(await outcome(world, 'make all', 'three')).toBe('waits');
});

test('an allow is not added where managed rules alone allow; what tightens is', async () => {
  const world = new World(policyOf({ more: 'managedRulesOnly: true\n' }));
  expect(await say(world, { ...MAKE, session: 'main' })).toBe('managed_rules_only');
  expect(await say(world, { ...MAKE, until: at(world, DAY) })).toBe('managed_rules_only');
  expect(world.slack.notices.at(-1)).toContain('Not done. The policy file lets managed allow rules count');
  expect(await say(world, { ...MAKE, effect: 'deny', session: 'main' })).toBe('rule_added_deny');
  expect(await outcome(world, 'make all')).toBe('denied');
});

test('deny and ask rules hold at once, win over what the policy file allows, and may last', async () => {
  const world = new World();
  expect(await outcome(world, 'git status')).toBe('approved');
  await say(world, { effect: 'ask', pattern: 'Bash(git status:*)', session: 'main' });
  expect(await outcome(world, 'git status')).toBe('waits');
  await say(world, { effect: 'deny', pattern: 'Bash(git:*)' });
  expect(await outcome(world, 'git status', 'other')).toBe('denied');
  world.clock.jump(200 * DAY);
  expect(await outcome(world, 'git status', 'late')).toBe('denied');
  expect(await say(world, { kind: 'remove-rule', effect: 'deny', pattern: 'Bash(git:*)' })).toBe('rule_removed_deny');
  expect(await outcome(world, 'git status', 'later')).toBe('approved');
});

test.each(['Bash(coproc:*)', 'Bash(for:*)'])('a deny of a word of the shell is added: %s', async (pattern) => {
  const world = new World();
  expect(await say(world, { effect: 'deny', pattern, session: 'main' })).toBe('rule_added_deny');
  expect(await outcome(world, `${pattern.slice(5, -3)} x`)).toBe('denied');
});

test.each(['rm -rf build', 'cat .env', 'find / -delete', 'git push origin main'])(
  'an allow by an operator does not lift a deny, an ask or a protected path: %s',
  async (command) => {
    const world = new World();
    const before = await outcome(world, command, 'before');
    await say(world, { effect: 'allow', pattern: 'Bash', session: 'main' });
    await say(world, { effect: 'allow', pattern: `Bash(${command})`, until: at(world, DAY) });
    expect(before).not.toBe('approved');
    expect(await outcome(world, command)).toBe(before);
  },
);

test('a rule added while a call waits can only take its approval away', async () => {
  const world = new World();
  await world.send(bash('p1', 'make all'));
  await say(world, { effect: 'deny', pattern: 'Bash(make:*)', session: 'main' });
  await world.click('p1', 'alice');
  expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
});

test.each([
  ['session', 'main', 0, 'until_is_over'],
  ['session', 'main', 1, 'rule_added_allow'],
  ['every session', undefined, 90 * DAY, 'rule_added_allow'],
  ['every session', undefined, 90 * DAY + 1, 'until_is_too_late'],
])('an allow for a %s (%s) that ends in %i ms: %s', async (_, session, ms, code) => {
  const world = new World();
  // The operation comes a millisecond later.
  expect(await say(world, { ...MAKE, session, until: at(world, ms + 1) })).toBe(code);
});

test('what an operator gives as a reason is kept with the rule in 300 characters, and says that it goes on', async () => {
  const world = new World();
  await say(world, { effect: 'deny', pattern: 'WebFetch', session: 'main', reason: 'r'.repeat(400) });
  expect((await rowAt(world, 'main'))?.rules[0]?.reason).toBe(`${'r'.repeat(299)}…`);
});

describe('is refused, on the record, and changes nothing', () => {
  const HIGH = { more: 'tools:\n  deploy: { permissions: [Execute], severity: high }' };
  const soon = '2099-01-01T00:00:00Z';
  test.each<[string, Record<string, unknown>, string]>([
    ['an agent that is not there', { ...MAKE, agent: 'nobody', session: 'main' }, 'unknown_agent'],
    ['a rule that cannot be read', { ...MAKE, pattern: 'Bash(make', session: 'main' }, 'invalid_rule'],
    ['an allow of everything', { ...MAKE, pattern: '*', session: 'main' }, 'rule_without_effect'],
    ['a name that no call can have', { ...MAKE, pattern: 'bash(make:*)', session: 'main' }, 'rule_without_effect'],
    ['an allow without an end', MAKE, 'until_is_missing'],
    ['an allow with an end too far away', { ...MAKE, until: soon }, 'until_is_too_late'],
    ['an end that is over', { ...MAKE, session: 'main', until: '2020-01-01T00:00:00Z' }, 'until_is_over'],
    ['what needs two people each time', { ...MAKE, pattern: 'deploy', session: 'main' }, 'needs_two_people'],
    ['a source of one’s own', { ...MAKE, session: 'main', source: 'managed' }, 'invalid_operation'],
    ['a session by the name of all', { ...MAKE, session: '*' }, 'invalid_operation'],
    ['an unknown effect', { ...MAKE, effect: 'permit', session: 'main' }, 'invalid_operation'],
    ['a rule to remove that is not there', { ...MAKE, kind: 'remove-rule', session: 'main' }, 'no_such_rule'],
    [
      'a rule of the policy file to remove',
      { kind: 'remove-rule', effect: 'deny', pattern: 'Bash(rm:*)' },
      'no_such_rule',
    ],
  ])('%s', async (_, operation, code) => {
    const world = new World(policyOf(HIGH));
    expect(await say(world, operation)).toBe(code);
    for (const session of ['main', EVERY_SESSION]) {
      // One that takes back is noted by its time even so: the rule that it means may come late.
      const { mode, rules = [], grants = [] } = (await rowAt(world, session)) ?? {};
      expect({ mode, rules, grants }).toEqual({ mode: undefined, rules: [], grants: [] });
    }
  });

  test('whoever answers for the agent loosens nothing for it, and may tighten', async () => {
    const world = new World();
    expect(await say(world, { ...MAKE, session: 'main' }, 'owner')).toBe('own_agent');
    expect(await say(world, { kind: 'set-mode', session: 'main', mode: 'acceptEdits' }, 'owner')).toBe('own_agent');
    expect(await say(world, { effect: 'deny', pattern: 'WebFetch' }, 'owner')).toBe('rule_added_deny');
    expect(await say(world, { kind: 'remove-rule', effect: 'deny', pattern: 'WebFetch' }, 'owner')).toBe('own_agent');
    await say(world, { ...MAKE, session: 'main', until: at(world, DAY) });
    const remove = { kind: 'remove-rule', session: 'main', effect: 'allow', pattern: MAKE.pattern };
    expect(await say(world, remove, 'owner')).toBe('rule_removed_allow');
    expect(await say(world, { kind: 'revoke', session: 'main' }, 'owner')).toBe('revoked');
  });

  test.each([
    ['dontAsk', undefined, 'plan', 'own_agent'],
    ['plan', 'default', 'agent', 'mode_agent'],
    ['default', 'plan', 'agent', 'own_agent'],
    ['default', undefined, 'agent', 'mode_agent'],
  ])('whoever answers for the agent (mode %s, of the session %s) may set it to %s: %s', async (own, set, to, code) => {
    const world = new World(policyOf({ agents: `  coder: { owner: olga, mode: ${own} }` }));
    if (set) await say(world, { kind: 'set-mode', session: 'main', mode: set });
    expect(await say(world, { kind: 'set-mode', session: 'main', mode: to }, 'owner')).toBe(code);
  });

  test('nor by a mode that its session is not in, a shorter pause, or through the session that answers for it', async () => {
    const agents = '  parent: { owner: alice }\n  coder: { owner: olga, mode: bubble, parents: [parent] }';
    const world = new World(policyOf({ agents }));
    const mode = (session: string, to: string, who: string) => say(world, { kind: 'set-mode', session, mode: to }, who);
    expect(await mode('a', 'plan', 'owner')).toBe('mode_plan');
    for (const to of ['dontAsk', 'agent', 'default']) expect(await mode('a', to, 'owner')).toBe('own_agent');
    expect(await mode('a', 'agent', 'oncall')).toBe('mode_agent');
    expect(await mode('a', 'dontAsk', 'owner')).toBe('mode_dontAsk');
    expect(await say(world, { ...MAKE, agent: 'parent', session: 'main' }, 'owner')).toBe('own_agent');

    const pause = (effect: string, who: string, until?: string) =>
      say(world, { kind: 'pause', scope: { agent: 'coder' }, effect, until, agent: undefined }, who);
    expect(await pause('deny', 'oncall')).toBe('paused_deny');
    for (const effect of ['lift', 'ask']) expect(await pause(effect, 'owner')).toBe('own_agent');
    expect(await pause('deny', 'owner', '2026-11-21T10:00:00Z')).toBe('own_agent');
    expect(await pause('lift', 'oncall')).toBe('pause_lifted');
    expect(await pause('ask', 'owner')).toBe('paused_ask');
    expect(await pause('deny', 'owner')).toBe('paused_deny');
  });

  test('two people are needed where a rule on Edit or Read speaks of a tool of high severity', async () => {
    const more =
      'tools:\n  mcp__crm__save: { permissions: [Write, Network], severity: high }\n  mcp__vault__get: { permissions: [Read], severity: critical }';
    const world = new World(policyOf({ more }));
    for (const pattern of ['Edit', 'Edit(**)', 'Write', 'Read', 'Read(src/**)', 'mcp__crm__*'])
      expect([pattern, await say(world, { ...MAKE, pattern, session: 'main' })]).toEqual([pattern, 'needs_two_people']);
    expect(await say(world, { ...MAKE, pattern: 'WebFetch', session: 'main' })).toBe('rule_added_allow');
  });

  test('two people are needed for high and for critical, and not below', async () => {
    const tools = ['low', 'medium', 'high', 'critical'].map(
      (severity) => `  ${severity}-tool: { permissions: [Write], severity: ${severity} }`,
    );
    const world = new World(policyOf({ more: `tools:\n${tools.join('\n')}` }));
    const codeOf = (severity: string) => say(world, { ...MAKE, pattern: `${severity}-tool`, session: 'main' });
    expect(await codeOf('low')).toBe('rule_added_allow');
    expect(await codeOf('medium')).toBe('rule_added_allow');
    expect(await codeOf('high')).toBe('needs_two_people');
    expect(await codeOf('critical')).toBe('needs_two_people');
  });

  test('more rules than a row holds: none is dropped for another', async () => {
    const world = new World();
    for (let n = 0; n < 50; n++) await say(world, { effect: 'deny', pattern: `Bash(tool-${n}:*)`, session: 'main' });
    expect(await say(world, { effect: 'deny', pattern: 'Bash(one-more)', session: 'main' })).toBe('too_many_rules');
    expect((await rowAt(world, 'main'))?.rules).toHaveLength(50);
  });

  test('an agent cannot name the session that stands for all', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status', { sessionId: EVERY_SESSION }));
    expect((await world.decided('p1')).outcome).toBe('error');
  });
});

test('the same operation delivered again is done once', async () => {
  const world = new World();
  const add = { operationId: 'same', effect: 'deny', pattern: 'WebFetch', session: 'main' };
  await say(world, add);
  await say(world, { kind: 'remove-rule', effect: 'deny', pattern: 'WebFetch', session: 'main' });
  await say(world, add);
  expect((await rowAt(world, 'main'))?.rules).toEqual([]);
});

test('twenty operations are remembered, so that an old one comes late without harm', async () => {
  const world = new World();
  const first = { operationId: 'first', effect: 'deny', pattern: 'WebFetch', session: 'main' };
  await say(world, first);
  for (let n = 0; n < 18; n++) await say(world, { effect: 'deny', pattern: `Bash(tool-${n})`, session: 'main' });
  await say(world, { kind: 'remove-rule', effect: 'deny', pattern: 'WebFetch', session: 'main' });
  await say(world, first);
  const row = await rowAt(world, 'main');
  expect(row?.rules.map(({ pattern }) => pattern)).not.toContain('WebFetch');
  expect(row?.done).toHaveLength(20);
  await say(world, { effect: 'deny', pattern: 'Bash(one-more)', session: 'main' });
  expect((await rowAt(world, 'main'))?.done).toHaveLength(20);
});

test.each([
  [4, 'rule_added_deny', 5],
  [5, undefined, 5],
])('a session that changes %i times while it is written: %s after %i tries', async (changes, code, tries) => {
  let writes = 0;
  const world = new World(policyOf(), {
    wrap: (name, port) => {
      if (name !== 'sessions') return port;
      const { write } = port as unknown as { write(row: unknown): Promise<boolean> };
      return { ...port, write: async (row: unknown) => ++writes > changes && write(row) };
    },
  });
  const operation = {
    kind: 'add-rule',
    operationId: 'o',
    reason: 'x',
    agent: 'coder',
    effect: 'deny',
    pattern: 'Read',
  };
  const message = {
    messageId: 'm',
    raw: JSON.stringify(operation),
    principal: memorySenderId('operators', 'oncall'),
    sentAt: 1,
  };
  const done = performOperation(message, world.gate.parts);
  if (code) await done;
  else await expect(done).rejects.toThrow('kept changing');
  expect(writes).toBe(tries);
  const [record] = await world.look.audit.recent('-operations', 1);
  expect(record?.entry.reasonCode).toBe(code);
});

test('a rule with a character that nobody sees is refused: it would match no call', async () => {
  const world = new World();
  expect(await say(world, { effect: 'deny', pattern: 'Bash(ma\u200bke:*)', session: 'main' })).toBe('invalid_rule');
});
