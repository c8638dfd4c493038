/**
 * Checks the kernel's judgement: flows, brakes, edits, bypass at the run, severity.
 *
 * Covers D2, D9, D16, D23, A16, A18, A19, G25 and G26. Covers D2, D9, D16, D23, A16, A18, A19, G25, G26.
 */
import { describe, expect, test } from 'vitest';
import { callsOf } from '../../../../shared/domain/approval/approval.ts';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import type { HookTarget } from '../../../../shared/ports/hook-caller.ts';
import { choice, choicePolicy, choiceWorld, flow, say } from '../choice-world.ts';
import { approvedCall, redeemed } from '../running.ts';
import { bash, policyOf, World } from '../world.ts';

const operate = (world: World, operation: Record<string, unknown>) => {
  world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason: 'incident', ...operation }));
  return world.rest();
};

/** A gate whose one hook answers as `reply` says of the command. */
function hooked(reply: (command: string) => unknown, more = '') {
  const asked: string[] = [];
  const caller = {
    async call(_target: HookTarget, text: string) {
      const { tool_input } = JSON.parse(text) as { tool_input: { command?: string } };
      asked.push(tool_input.command ?? '');
      return JSON.stringify(reply(tool_input.command ?? ''));
    },
  };
  const world = new World(policyOf({ more: `hooks:\n  review: { function: review }\n${more}` }), {
    hooks: { after: () => () => undefined, caller },
  });
  return { world, asked };
}

describe('a flow that a rule or a brake asks about', () => {
  const ASK = { ask: ["'Flow(update_status)'"] };
  const sent = async (parts: Parameters<typeof choicePolicy>[0], before?: Record<string, unknown>) => {
    const { world } = choiceWorld([], choicePolicy(parts));
    if (before) await operate(world, before);
    await world.send(choice('c1', 'first'));
    return world;
  };

  test('waits for a person', async () => {
    expect((await (await sent(ASK)).row('c1')).approval.status).toBe('pending');
    expect(await (await sent({})).decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
  });

  test.each([
    ['asks nobody', 'mode: dontAsk', 'dont_ask'],
    ['nobody attends', 'unattended: true', 'no_handler'],
  ])('is denied in a session that %s (D7)', async (_, mode, reasonCode) => {
    const world = await sent({ ...ASK, agents: `  coder: { owner: olga, ${mode} }` });
    expect(await world.decided('c1')).toMatchObject({ outcome: 'denied', actionDigest: null, reasonCode });
  });

  test.each([
    ['an agent', { agent: 'coder' }],
    ['all flows', { tool: 'Flow' }],
  ])('waits while %s is paused, and is denied under a pause that denies (A18)', async (_, scope) => {
    const asking = await sent({}, { kind: 'pause', scope, effect: 'ask' });
    expect((await asking.row('c1')).approval.status).toBe('pending');
    const denying = await sent({}, { kind: 'pause', scope, effect: 'deny' });
    expect(await denying.decided('c1')).toMatchObject({ outcome: 'denied' });
  });
});

describe.each(['person', 'lenient', 'twice'])('the policy %s asks nobody', (policy) => {
  test.each([
    ['asks nobody', 'mode: dontAsk', 'dont_ask'],
    ['nobody attends', 'unattended: true', 'no_handler'],
  ])('in a session that %s (D7)', async (_, setting, reasonCode) => {
    const agents = `  coder: { owner: olga, ${setting} }`;
    const { world } = choiceWorld([], choicePolicy({ agents }));
    await world.send(choice('c1', policy));
    expect(await world.decided('c1')).toMatchObject({ outcome: 'denied', reasonCode });
    expect(world.slack.cards.size).toBe(0);
  });
});

test.each([
  ['asks nobody', 'mode: dontAsk', 'dont_ask'],
  ['nobody attends', 'unattended: true', 'no_handler'],
])(
  'a call that a rule asks about, in a session that %s, is denied for that reason and not by the rule (D7)',
  async (_, mode, reasonCode) => {
    const world = new World(policyOf({ agents: `  coder: { owner: olga, ${mode} }` }));
    await world.send(bash('p1'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode });
  },
);

test('D56: what a hook said of a call is not said of what a person made of it: the hook is asked again', async () => {
  const { world, asked } = hooked(() => ({}));
  await world.send(bash('p1', 'make all'));
  await world.edit('p1', 'alice', { command: 'git status' });
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', reasonCode: 'edited' });
  expect(asked).toEqual(['make all', 'git status']);
});

describe('at the run (A19, G25)', () => {
  const RULES = { allow: ['Refund'] };
  const more = (mode: string, honoursRules: boolean) => ({
    ...RULES,
    agents: `  coder: { owner: olga, mode: ${mode} }`,
    more: `bypass: { enabled: true, honoursRules: ${honoursRules} }\ntools:\n  Refund: { permissions: [Sensitive] }\n`,
  });
  test.each([
    ['default', true, 'policy_changed'],
    ['default', false, 'policy_changed'],
    ['bypass', true, 'policy_changed'],
    ['bypass', false, 'granted'],
  ] as const)(
    'a denial that came meanwhile, mode %s, bypass that honours rules: %s: %s',
    async (mode, honours, code) => {
      const world = new World(policyOf(more(mode, honours)));
      const call = await approvedCall(world);
      await operate(world, { kind: 'add-rule', agent: 'coder', effect: 'deny', pattern: 'Refund' });
      const answer = await redeemed(world, call);
      expect(answer.granted ? 'granted' : answer.error.code).toBe(code);
    },
  );
});

test('D16, G26: what a brake asks about is as severe as its tool, whoever allowed it', async () => {
  const tools = 'tools:\n  Refund: { permissions: [Sensitive], severity: high }\n';
  const { world } = hooked(() => ({ decision: 'allow' }), tools);
  await operate(world, { kind: 'pause', scope: { agent: 'coder' }, effect: 'ask' });
  await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'Refund', input: { order: 7 } });
  expect(callsOf((await world.row('p1')).approval.question)[0]?.severity).toBe('high');
  await world.click('p1', 'alice');
  expect(await world.decision('p1')).toBeUndefined();
});

test('a call that differs from its siblings is told apart: the proposal is as its worst call, and says so', async () => {
  const world = new World();
  const send = (proposalId: string, ...commands: readonly string[]) =>
    world.send({
      kind: 'tool-call',
      proposalId,
      calls: commands.map((command, n) => ({ id: `c${n}`, toolName: 'Bash', input: { command } })),
    });
  await send('p1', 'git status', 'rm x');
  expect(await world.decided('p1')).toMatchObject({
    outcome: 'denied',
    message: expect.stringContaining('Each call has its own decision.'),
    calls: [{ outcome: 'approved' }, { outcome: 'denied' }],
  });
  await send('p2', 'git status', 'git status -s');
  expect((await world.decided('p2')).message).not.toContain('Each call');
});

describe('a mode that the message names only tightens (A3)', () => {
  const sent = async (agentMode: string, mode: string, command: string) => {
    const world = new World(policyOf({ agents: `  coder: { owner: olga, mode: ${agentMode} }` }));
    await world.send(bash('p1', command, { mode }));
    return (await world.decision('p1'))?.outcome ?? (await world.row('p1')).approval.status;
  };
  test.each([
    ['default', 'dontAsk', 'make', 'denied'],
    ['default', 'plan', 'make', 'denied'],
    ['dontAsk', 'default', 'make', 'denied'],
    ['plan', 'acceptEdits', 'make', 'denied'],
    ['default', 'bypass', 'make', 'pending'],
    ['default', 'auto', 'make', 'pending'],
    ['default', 'plan', 'git status', 'denied'],
    ['default', 'default', 'git status', 'approved'],
  ])('the session in %s, the message in %s, %s: %s', async (agentMode, mode, command, outcome) => {
    expect(await sent(agentMode, mode, command)).toBe(outcome);
  });
});

describe('bypass where it is off (D2)', () => {
  const detailOf = async (agentMode: string, mode: string | undefined, more = '') => {
    const world = new World(policyOf({ agents: `  coder: { owner: olga, mode: ${agentMode} }`, more }));
    await world.send(bash('p1', 'make', mode ? { mode } : {}));
    const [entry] = await world.audit('p1');
    return [(await world.decision('p1'))?.outcome ?? 'pending', entry?.mode, entry?.detail];
  };
  test('is default mode, and the record says so, whoever asked for it', async () => {
    const off = 'bypass is off: default mode counted';
    expect(await detailOf('bypass', undefined)).toEqual(['pending', 'bypass', off]);
    expect(await detailOf('default', 'bypass')).toEqual(['pending', 'default', off]);
    expect(await detailOf('default', undefined)).toEqual(['pending', 'default', undefined]);
    expect(await detailOf('bypass', undefined, 'bypass: { enabled: true }')).toEqual(['approved', 'bypass', undefined]);
  });
});

describe('what is taken away from a session while people are asked was there when they were (A16)', () => {
  const DENY = { agent: 'coder', effect: 'deny', pattern: 'Flow(cancel_order)' };

  test('a flow that a rule of the session denied then stays denied', async () => {
    const at = choiceWorld();
    await operate(at.world, { kind: 'add-rule', ...DENY });
    await at.world.send(choice('c1', 'person'));
    await at.world.clock.advance(1);
    await operate(at.world, { kind: 'remove-rule', operationId: 'o2', ...DENY });
    const [removed] = await at.world.look.audit.recent('-operations', 1);
    expect(removed?.entry.reasonCode).toBe('rule_removed_deny');
    const actionDigest = choiceDigest(flow('cancel_order'));
    await say(at, 'c1', 'alice', { choice: 'substitute', index: 2, actionDigest });
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'denied', actionDigest: null });
  });

  test('a call that people were asked about is decided by them, not by an allow that came meanwhile', async () => {
    const world = new World();
    await world.send(bash('p1', 'make'));
    const until = new Date(world.clock.now() + 60_000).toISOString();
    await operate(world, { kind: 'add-rule', agent: 'coder', effect: 'allow', pattern: 'Bash(make)', until });
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
    await world.send(bash('p2', 'make'));
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved', decidedBy: { type: 'rule' } });
  });
});

test('a message that says bubble is judged by the parent, too, whatever its session says (D9)', async () => {
  const agents = '  lead: { owner: olga, mode: dontAsk }\n  coder: { owner: olga, parents: [lead] }';
  const world = new World(policyOf({ agents }));
  await world.send(bash('start', 'git status', { starts: { agentId: 'coder', sessionId: 'main' } }), { agent: 'lead' });
  await world.send(bash('p1', 'make'));
  expect((await world.row('p1')).approval.status).toBe('pending');
  await world.send(bash('p2', 'make all', { mode: 'bubble' }));
  expect(await world.decided('p2')).toMatchObject({ outcome: 'denied' });
});

test('D1: of a denial and an error the error stands', async () => {
  const agents = (parents: string) => `  lead: { owner: olga }\n  coder: { owner: olga, mode: dontAsk${parents} }`;
  const world = new World(policyOf({ agents: agents(', parents: [lead]') }));
  await world.send(bash('start', 'git status', { starts: { agentId: 'coder', sessionId: 'main' } }), { agent: 'lead' });
  world.gate.usePolicy(policyOf({ agents: agents('') }));
  await world.send(bash('p1', 'make'));
  expect((await world.decided('p1')).outcome).toBe('denied');
  await world.send(bash('p2', 'make all', { mode: 'bubble' }));
  expect((await world.decided('p2')).outcome).toBe('error');
});
