/**
 * Checks refusals of an agent, cards that count once, and strict approvers of a helper.
 *
 * A refusal holds for the agent, and the strictest people are asked about a helper's call (D9, D11, D55, A24).
 */
import { describe, expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { family, heard, LISTED, operateNow, outcomeOf, startHelper } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE_MS = 60_000;
const main = (world: World) => memorySessionStore(world.gate.parts.state).read('coder', 'main');

describe('a person’s refusal', () => {
  const refused = async () => {
    const world = new World(policyOf({ agents: '  coder: { owner: olga }\n  writer: { owner: olga }' }));
    await world.send(bash('no', 'make x'));
    await world.click('no', 'bob', 'reject');
    return world;
  };

  test.each<[string, string, Record<string, unknown>]>([
    ['the same', 'make x', {}],
    ['with more blanks', ' make   x ', {}],
    ['in another session', 'make x', { sessionId: 'other' }],
    ['that states its folder', 'make x', { cwd: '/workspace' }],
    ['that spells its folder otherwise', 'make x', { cwd: '/workspace/./src/..//' }],
    ['that would start something as well', 'make x', { starts: { agentId: 'writer', sessionId: 'w' } }],
  ])('answers a call %s', async (_, command, more) => {
    const agents = '  coder: { owner: olga }\n  writer: { owner: olga, parents: [coder] }';
    const world = new World(policyOf({ agents }));
    await world.send(bash('no', 'make x'));
    await world.click('no', 'bob', 'reject');
    const cards = world.slack.cards.size;
    expect(await outcomeOf(world, bash('p', command, more))).toBe('denied remembered_refusal');
    expect(world.slack.cards.size).toBe(cards);
  });

  test.each<[string, string, Record<string, unknown>, string]>([
    ['another command', 'make y', {}, 'coder'],
    ['another folder', 'make x', { cwd: '/workspace/src' }, 'coder'],
    ['another agent', 'make x', {}, 'writer'],
  ])('does not answer %s', async (_, command, more, agent) => {
    const world = await refused();
    expect(await outcomeOf(world, bash('p', command, more), agent)).toBe('waits');
  });

  test('is over after five minutes', async () => {
    const world = await refused();
    await world.clock.advance(5 * MINUTE_MS);
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('waits');
  });

  test('holds where a classifier or a hook would allow', async () => {
    const agents = '  coder: { owner: olga, mode: auto }';
    const auto = new World(policyOf({ agents, more: "classifier: { allow: ['Bash(make:*)'] }" }));
    await operateNow(auto, { kind: 'set-mode', session: 'main', mode: 'default' });
    await auto.send(bash('no', 'make x'));
    await auto.click('no', 'bob', 'reject');
    expect(await outcomeOf(auto, bash('p', 'make x', { sessionId: 'other' }))).toBe('denied remembered_refusal');
    expect(await outcomeOf(auto, bash('q', 'make y', { sessionId: 'other' }))).toBe('approved classifier');

    let says = 'ask';
    const hooks = { after: () => () => undefined, caller: { call: async () => JSON.stringify({ decision: says }) } };
    const hooked = new World(policyOf({ more: 'hooks: { review: { function: review } }' }), { hooks });
    await hooked.send(bash('no', 'make x'));
    await hooked.click('no', 'bob', 'reject');
    says = 'allow';
    expect(await outcomeOf(hooked, bash('p', 'make x', { sessionId: 'other' }))).toBe('denied remembered_refusal');
    expect(await outcomeOf(hooked, bash('q', 'make y', { sessionId: 'other' }))).toBe('approved hook');
  });

  test('of a card that eleven calls share counts as one denial', async () => {
    const world = new World();
    for (let count = 0; count < 11; count++) await world.send(bash(`p${count}`, 'make x'));
    expect(world.slack.cards.size).toBe(1);
    await world.click('p0', 'bob', 'reject');
    for (let count = 0; count < 11; count++) expect(await heard(world, `p${count}`)).toBe('denied rejected');
    expect(await main(world)).toMatchObject({ consecutive: 1, total: 1 });
    expect(
      await memorySessionStore(world.gate.parts.state).deniedOn(
        'coder',
        new Date(world.clock.now()).toISOString().slice(0, 10),
      ),
    ).toBe(1);
  });
});

test('people’s refusals of a day count for every session of the agent, without a model that judges calls (D12)', async () => {
  const agents = ['coder', 'writer'].map((name) => `  ${name}: { owner: olga, projectRoot: /workspace }`).join('\n');
  const world = new World(policyOf({ agents, more: 'denials: { total: 2 }' }));
  const reads = (id: string, sessionId: string) => ({
    ...bash(id, '', { sessionId }),
    toolName: 'Read',
    input: { file_path: '/workspace/README.md' },
  });
  for (const id of ['p1', 'p2']) {
    expect(await outcomeOf(world, reads(`before-${id}`, `new-${id}`))).toBe('approved handler');
    await world.send(bash(id, `make ${id}`, { sessionId: id }));
    await world.click(id, 'bob', 'reject');
  }
  expect(await outcomeOf(world, reads('p3', 'another'))).toBe('waits');
  expect(await outcomeOf(world, reads('p4', 'another'), 'writer')).toBe('approved handler');
  await world.clock.advance(24 * 60 * MINUTE_MS);
  expect(await outcomeOf(world, reads('p5', 'a-third'))).toBe('approved handler');
});

describe('a helper’s call that its parent leaves to people', () => {
  const SECURITY = ', approvers: security';
  test.each<[string, Parameters<typeof family>[0], { approvers?: string }, readonly string[]]>([
    ['nobody names any', {}, {}, ['platform']],
    ['only the parent names some', { lead: SECURITY }, {}, ['security']],
    ['only the helper names some', { helper: SECURITY }, {}, ['security']],
    [
      'the helper names more people than the parent',
      { lead: SECURITY, helper: ', approvers: platform' },
      {},
      ['security'],
    ],
    [
      'the parent names more people than the helper',
      { lead: ', approvers: platform', helper: SECURITY },
      {},
      ['security'],
    ],
    [
      'each names others',
      { lead: SECURITY, helper: ', approvers: platform' },
      {
        approvers:
          '  platform: { members: [alice, olga], channel: approvals }\n  security: { members: [bob], channel: security }',
      },
      ['platform', 'security'],
    ],
  ])('where %s asks the strictest', async (_, names, parts, expected) => {
    const world = new World(family(names, parts));
    await startHelper(world);
    await world.send(bash('p', 'make x', { sessionId: 'h' }), { agent: 'helper' });
    const { approval } = await world.row('p', 'helper');
    expect(approval.question.stages.map(({ group }) => group)).toEqual(expected);
  });

  test('asks those whom a rule names, at either level', async () => {
    const rule = "{ rule: 'Bash(git push:*)', approvers: security }";
    const world = new World(family({}, { ask: [rule] }));
    await startHelper(world);
    await world.send(bash('p', 'git push origin main', { sessionId: 'h' }), { agent: 'helper' });
    const { approval } = await world.row('p', 'helper');
    expect(approval.question.stages.map(({ group }) => group)).toEqual(['security']);
  });
});

describe('silence about a card that two calls share', () => {
  const silent = () =>
    new World(policyOf({ more: `${LISTED.replace('[Execute]', '[Execute], timeoutBehavior: Approve')}` }));
  const end = 61 * MINUTE_MS;

  test('is a yes to both, where the policy takes it for one', async () => {
    const world = silent();
    await world.send(bash('p', 'make x'));
    await world.send(bash('q', 'make x'));
    expect(world.slack.cards.size).toBe(1);
    await world.clock.advance(end);
    expect([await heard(world, 'p'), await heard(world, 'q')]).toEqual([
      'approved timeout_approved',
      'approved timeout_approved',
    ]);
  });

  test('is none to one whose agent ended its wait', async () => {
    const world = silent();
    const expiresAt = new Date(world.clock.now() + 60 * MINUTE_MS).toISOString();
    await world.send(bash('p', 'make x'));
    await world.send(bash('q', 'make x', { expiresAt }));
    await world.clock.advance(end);
    expect([await heard(world, 'p'), await heard(world, 'q')]).toEqual([
      'approved timeout_approved',
      'expired expired',
    ]);
  });

  test('is none to either where no card was seen', async () => {
    const world = silent();
    world.slack.down = true;
    await world.send(bash('p', 'make x'));
    await world.send(bash('q', 'make x'));
    await world.clock.advance(end);
    expect([await heard(world, 'p'), await heard(world, 'q')]).toEqual(['expired expired', 'expired expired']);
  });
});
