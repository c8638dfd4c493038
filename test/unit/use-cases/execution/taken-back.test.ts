/** Checks that a permit ends with its grounds: grant, rule, mode, an answer from outside (D57). */
import { describe, expect, test } from 'vitest';
import { family, heard, LISTED, operateNow, outcomeOf, redemptionOf, startHelper } from '../giving-steps.ts';
import { bash, type PolicyParts, policyOf, World } from '../world.ts';

const RULED: PolicyParts = { more: LISTED, allow: ["'Bash(make:*)'", "'Bash(ls:*)'"] };
const mode = (to: string, more = {}) => ({ kind: 'set-mode', session: 'main', mode: to, ...more });

async function grantedCall(world: World): Promise<void> {
  await world.send(bash('given', 'make x'));
  await world.click('given', 'alice', 'approve', { remember: 'session' });
  expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved cache_hit');
}

describe('the permit of a call that a grant answered', () => {
  test.each<[string, Record<string, unknown>]>([
    ['the grant is taken back', { kind: 'revoke', session: 'main' }],
    ['the grants of every session are taken back', { kind: 'revoke' }],
    ['the grants of its tool are taken back in every session', { kind: 'revoke', tool: 'Bash' }],
    ['the mode changes', mode('acceptEdits')],
    ['plan mode is set', mode('plan')],
    ['plan mode is set for every session', mode('plan', { session: undefined })],
    ['a rule asks', { kind: 'add-rule', session: 'main', effect: 'ask', pattern: 'Bash(make:*)' }],
  ])('ends when %s', async (_, operation) => {
    const world = new World(policyOf({ more: LISTED }));
    await grantedCall(world);
    await operateNow(world, operation);
    expect(await redemptionOf(world, 'p')).toBe('revoked none');
  });

  test('ends with the grant', async () => {
    const world = new World(
      policyOf({ more: LISTED, approvals: '{ approvers: platform, timeout: 1h, remember: 5m }' }),
    );
    await grantedCall(world);
    await world.clock.advance(4 * 60_000);
    expect(await outcomeOf(world, bash('q', 'make x'))).toBe('approved cache_hit');
    await world.clock.advance(2 * 60_000);
    expect(await redemptionOf(world, 'q')).toBe('revoked none');
  });

  test('holds while nothing changes, for one run', async () => {
    const world = new World(policyOf({ more: LISTED }));
    await grantedCall(world);
    await operateNow(world, { kind: 'revoke', session: 'other' });
    expect(await redemptionOf(world, 'p')).toBe('granted');
    expect(await redemptionOf(world, 'p')).toBe('already_consumed spent');
  });

  test('of a parent ends when it is taken back there', async () => {
    const world = new World(family({ owner: 'bob' }));
    await startHelper(world);
    await world.send(bash('given', 'make x'), { agent: 'lead' });
    await world.click('given', 'alice', 'approve', { remember: 'session', agent: 'lead' });
    expect(await outcomeOf(world, bash('p', 'make x', { sessionId: 'h' }), 'helper')).toBe('approved bubble');
    await operateNow(world, { kind: 'revoke', agent: 'lead', session: 'main' });
    expect(await redemptionOf(world, 'p', { agent: 'helper' })).toBe('revoked none');
  });
});

describe('the permit of a call that a rule allowed', () => {
  test.each<[string, PolicyParts, string]>([
    ['is the same', { ...RULED }, 'granted'],
    ['stands elsewhere in the file', { ...RULED, allow: ["'Bash(ls:*)'", "'Bash(make:*)'"] }, 'granted'],
    ['is gone', { ...RULED, allow: ["'Bash(ls:*)'"] }, 'revoked none'],
    ['is another one that allows it as well', { ...RULED, allow: ["'Bash(make x)'"] }, 'revoked none'],
    ['is overruled by one that asks', { ...RULED, ask: ["'Bash(make x)'"] }, 'revoked none'],
    ['is overruled by one that denies', { ...RULED, deny: ["'Bash(make x)'"] }, 'policy_changed usable'],
    ['is of an agent that asks nobody', { ...RULED, agents: '  coder: { owner: olga, mode: dontAsk }' }, 'granted'],
    ['is of an agent in plan mode', { ...RULED, agents: '  coder: { owner: olga, mode: plan }' }, 'revoked none'],
  ])('where the rule %s', async (_, parts, expected) => {
    const world = new World(policyOf(RULED));
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved rule_match');
    world.gate.usePolicy(policyOf(parts));
    expect(await redemptionOf(world, 'p')).toBe(expected);
  });

  test.each([
    ['of the session', { session: 'main' }],
    ['of every session', {}],
  ])('ends when the rule, %s, is removed', async (_, where) => {
    const world = new World(policyOf({ more: LISTED }));
    const rule = { effect: 'allow', pattern: 'Bash(make:*)', ...where };
    const until = new Date(world.clock.now() + 3_600_000).toISOString();
    await operateNow(world, { kind: 'add-rule', ...rule, until });
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved rule_match');
    await operateNow(world, { kind: 'remove-rule', ...rule });
    expect(await redemptionOf(world, 'p')).toBe('revoked none');
  });

  test('ends when one of the rules is gone that covered its parts', async () => {
    const world = new World(policyOf(RULED));
    const command = 'make x && ls src';
    expect(await outcomeOf(world, bash('p', command))).toBe('approved rule_match');
    world.gate.usePolicy(policyOf({ ...RULED, allow: ["'Bash(make:*)'"] }));
    expect(await redemptionOf(world, 'p', { input: { command } })).toBe('revoked none');
  });
});

test('the permit of what a mode allowed ends with the mode', async () => {
  const world = new World(
    policyOf({ agents: '  coder: { owner: olga }', more: 'tools: { Write: { permissions: [Write] } }\n' }),
  );
  await operateNow(world, mode('acceptEdits'));
  const call = { toolName: 'Write', input: { file_path: '/workspace/a.ts', content: 'x' } };
  expect(await outcomeOf(world, { kind: 'tool-call', proposalId: 'p', ...call } as never)).toBe(
    'approved accept_edits',
  );
  await operateNow(world, mode('default'));
  expect(await redemptionOf(world, 'p', call)).toBe('revoked none');
  await operateNow(world, mode('acceptEdits'));
  expect(await redemptionOf(world, 'p', call)).toBe('granted');
});

describe('the permit of what people approved', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['a rule that asks', { kind: 'add-rule', session: 'main', effect: 'ask', pattern: 'Bash(make:*)' }, 'granted'],
    ['a mode that lets people be asked', mode('acceptEdits'), 'granted'],
    ['plan mode', mode('plan'), 'revoked none'],
    ['a mode that asks nobody', mode('dontAsk'), 'revoked none'],
  ])('after %s came', async (_, operation, expected) => {
    const world = new World(policyOf({ more: LISTED }));
    await world.send(bash('p', 'make x'));
    await world.click('p', 'alice');
    await operateNow(world, operation);
    expect(await redemptionOf(world, 'p')).toBe(expected);
  });

  test('is not ended by a refusal of the same call that somebody gave later', async () => {
    const world = new World(policyOf({ more: LISTED }));
    await world.send(bash('p', 'make x'));
    await world.click('p', 'alice');
    await world.send(bash('q', 'make x'));
    await world.click('q', 'bob', 'reject');
    expect(await redemptionOf(world, 'p')).toBe('granted');
  });
});

describe('the permit of what a machine allowed', () => {
  const hooked = () => {
    const hooks = { after: () => () => undefined, caller: { call: async () => '{"decision":"allow"}' } };
    const more = `${LISTED}hooks: { review: { function: review } }\n`;
    return new World(policyOf({ more }), { hooks });
  };

  test('holds without asking it again', async () => {
    const world = hooked();
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved hook');
    expect(await redemptionOf(world, 'p')).toBe('granted');
  });

  test.each<[string, (world: World) => unknown]>([
    ['is no longer in the file', (world) => world.gate.usePolicy(policyOf({ more: LISTED }))],
    [
      'is not the only one any more',
      (world) =>
        world.gate.usePolicy(
          policyOf({ more: `${LISTED}hooks: { review: { function: review }, second: { function: second } }\n` }),
        ),
    ],
  ])('ends where the hook %s', async (_, change) => {
    const world = hooked();
    await world.send(bash('p', 'make x'));
    change(world);
    expect(await redemptionOf(world, 'p')).toBe('revoked none');
  });

  test('ends when a person refused the same call meanwhile, in whatever session', async () => {
    const world = new World(
      policyOf({
        agents: '  coder: { owner: olga, mode: auto }',
        more: `${LISTED}classifier: { allow: ['Bash(make:*)'] }`,
      }),
    );
    expect(await outcomeOf(world, bash('p', 'make x'))).toBe('approved classifier');
    await operateNow(world, mode('default', { session: 'other' }));
    await world.send(bash('q', 'make x', { sessionId: 'other' }));
    await world.click('q', 'bob', 'reject');
    expect(await heard(world, 'q')).toBe('denied rejected');
    expect(await redemptionOf(world, 'p')).toBe('revoked none');
  });
});

test('of a call that nobody answered, and that the policy approved, it ends when silence is no yes any more', async () => {
  const silent = (behaviour: string) =>
    policyOf({ more: `tools: { Bash: { permissions: [Execute], timeoutBehavior: ${behaviour} } }\n` });
  for (const [now, expected] of [
    ['Approve', 'granted'],
    ['Reject', 'revoked none'],
  ] as const) {
    const world = new World(silent('Approve'));
    await world.send(bash('p', 'make x'));
    await world.clock.advance(61 * 60_000);
    expect(await heard(world, 'p')).toBe('approved timeout_approved');
    world.gate.usePolicy(policyOf({ more: `tools: { Bash: { permissions: [Execute], timeoutBehavior: ${now} } }\n` }));
    // The tool's entry is not what it is bound to: silence is.
    expect(await redemptionOf(world, 'p')).toBe(expected);
  }
});

test('what is taken back in every session answers no call of any, and what is given afterwards does', async () => {
  const world = new World(policyOf({ more: LISTED }));
  await grantedCall(world);
  await operateNow(world, { kind: 'revoke', tool: 'Read' });
  expect(await outcomeOf(world, bash('q', 'make x'))).toBe('approved cache_hit');
  await operateNow(world, { kind: 'revoke' });
  expect(await outcomeOf(world, bash('r', 'make x'))).toBe('waits');
  await world.clock.advance(1);
  await world.click('r', 'alice', 'approve', { remember: 'session' });
  expect(await outcomeOf(world, bash('s', 'make x'))).toBe('approved cache_hit');
});
