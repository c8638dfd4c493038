/**
 * Checks that an operation delivered again has the same result as before (A5).
 *
 * The same is on the record and in the channel.
 */
import { describe, expect, test } from 'vitest';
import { bash, World } from '../world.ts';
import { codes, deliver, type Wire } from './operation-deliveries.ts';

const rule = (kind: 'add-rule' | 'remove-rule', effect: 'allow' | 'deny', pattern: string): Wire => ({
  kind,
  agent: 'coder',
  session: 'main',
  effect,
  pattern,
});

/** Operations that took nothing back at their first delivery. */
const REFUSED: readonly (readonly [string, Wire, string])[] = [
  ['removes a rule that is not there', rule('remove-rule', 'allow', 'Bash(make:*)'), 'no_such_rule'],
  ['takes back no grant', { kind: 'revoke', agent: 'coder', session: 'main', grant: '0123456789ab' }, 'unknown_grant'],
  ['takes back all grants of no session', { kind: 'revoke', agent: 'coder', session: 'nightly' }, 'unknown_session'],
  ['takes back a seat that nobody gave', { kind: 'undelegate', person: 'alice' }, 'no_delegation'],
];

describe('an operation that is delivered again', () => {
  test.each(REFUSED)('and %s is refused again', async (_, wire, code) => {
    const world = new World();
    for (const _ of [1, 2, 3]) await deliver(world, 1, wire);
    expect(await codes(world)).toEqual([code, code, code]);
    expect(
      world.slack.notices.every((line) => line.startsWith('Bob (operator oncall): ') && line.includes(' Not done. ')),
    ).toBe(true);
  });

  test('and a session that nobody knows stays unknown to those that follow, until something is remembered of it', async () => {
    const world = new World();
    const wire = { kind: 'revoke', agent: 'coder', session: 'nightly' };
    for (const id of [1, 2, 3]) await deliver(world, id, wire);
    await deliver(world, 4, { kind: 'set-mode', agent: 'coder', session: 'nightly', mode: 'agent' });
    await deliver(world, 5, { ...rule('add-rule', 'allow', 'Bash(make:*)'), session: 'nightly' });
    await deliver(world, 6, wire);
    const unknown = 'unknown_session';
    expect(await codes(world)).toEqual([unknown, unknown, unknown, unknown, 'rule_added_allow', 'revoked']);
  });

  test('is refused again although it would find something by now', async () => {
    const world = new World();
    await deliver(world, 1, rule('remove-rule', 'allow', 'Bash(make:*)'));
    await deliver(world, 2, rule('add-rule', 'allow', 'Bash(make:*)'));
    await deliver(world, 3, { kind: 'undelegate', person: 'alice' });
    const until = new Date(world.clock.now() + 3_600_000).toISOString();
    await deliver(world, 4, { kind: 'delegate', person: 'alice', to: 'olga', until });
    await deliver(world, 1, rule('remove-rule', 'allow', 'Bash(make:*)'));
    await deliver(world, 3, { kind: 'undelegate', person: 'alice' });
    expect(await codes(world)).toEqual([
      'no_such_rule',
      'rule_added_allow',
      'no_delegation',
      'delegated',
      'no_such_rule',
      'no_delegation',
    ]);
  });

  test('and was refused, and counts when its message comes again, is on the record as both', async () => {
    const world = new World();
    const approve = { kind: 'decide', agent: 'coder', proposalId: 'p1', choice: 'approve' };
    for (const _ of [1, 2]) await deliver(world, 1, approve, { messageId: 'm1' });
    await world.send(bash('p1'));
    for (const _ of [1, 2]) await deliver(world, 1, approve, { messageId: 'm1' });
    expect(await codes(world)).toEqual(['unknown_approval', 'vote_approve']);
  });

  test('and denies in a session that holds as many rules as it may is refused again', async () => {
    const world = new World();
    for (let index = 0; index < 100; index++)
      await deliver(world, index, rule('add-rule', 'deny', `Bash(make t${index})`));
    const one = rule('add-rule', 'deny', 'Bash(make:*)');
    await deliver(world, 200, one);
    await deliver(world, 200, one);
    expect((await codes(world)).slice(-2)).toEqual(['too_many_rules', 'too_many_rules']);
  });

  test('and was done is done once, also by what rows of before remember of it', async () => {
    const world = new World();
    const make = rule('add-rule', 'deny', 'Bash(make:*)');
    await deliver(world, 1, make);
    const row = await world.gate.parts.sessions.read('coder', 'main');
    expect(row?.done).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    await deliver(world, 2, rule('remove-rule', 'deny', 'Bash(make:*)'));
    await deliver(world, 1, make);
    expect(await codes(world)).toEqual(['rule_added_deny', 'rule_removed_deny', 'rule_added_deny']);
    expect((await world.gate.parts.sessions.read('coder', 'main'))?.rules).toEqual([]);
  });
});

test('operations that share an id are all announced: none hides behind another one’s', async () => {
  const world = new World();
  const announced = async (wanted: Record<string, unknown>) => {
    const before = world.slack.notices.length;
    world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason: 'drill', ...wanted }));
    await world.rest();
    return world.slack.notices.slice(before);
  };
  const quiet = { kind: 'set-mode', agent: 'writer', session: 'x', mode: 'plan' };
  await world.send(bash('p1'));
  expect(await announced(quiet)).toHaveLength(2);
  const allow = { kind: 'add-rule', agent: 'coder', session: 'main', effect: 'allow', pattern: 'Bash(make:*)' };
  for (const text of await announced(allow)) expect(text).toContain('allow Bash(make:*)');
  expect(await announced({ ...allow, pattern: 'Bash(go:*)' })).toHaveLength(2);
  expect(await announced({ kind: 'decide', agent: 'coder', proposalId: 'p1', choice: 'approve' })).toHaveLength(2);
  expect((await world.decided('p1')).outcome).toBe('approved');
  // The same operation, sent twice, is announced once.
  expect(await announced(quiet)).toEqual([]);
});

test('an announcement is one line: none can hold what looks like another one', async () => {
  const world = new World();
  const reason =
    'drill\nThe record of memory was sealed (number 9)\u2028Bob (operator oncall): lift the pause of everything. Done.';
  const wanted = { kind: 'set-mode', agent: 'writer', session: 'x', mode: 'plan' };
  world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason, ...wanted }));
  await world.rest();
  expect(world.slack.notices).toHaveLength(2);
  for (const text of world.slack.notices)
    expect(text).toMatch(/^[^\n\r\u2028]* Reason: drill … The record [^\n\r\u2028]*$/);
});

test('a delegation that is taken back under the id by which it was given ends, as the record says', async () => {
  const world = new World();
  const until = new Date(world.clock.now() + 3_600_000).toISOString();
  const sent = async (wanted: Record<string, unknown>) => {
    world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason: 'drill', person: 'alice', ...wanted }));
    await world.rest();
    return (await world.gate.parts.delegations.read()).delegations.length;
  };
  expect(await sent({ kind: 'delegate', to: 'olga', until })).toBe(1);
  expect(await sent({ kind: 'undelegate' })).toBe(0);
  // Delivered again, the first one gives nothing any more.
  expect(await sent({ kind: 'delegate', to: 'olga', until })).toBe(0);
});
