/**
 * Checks the fields of a decision: decider, reason, each call.
 *
 * A later run keeps them (A16, A17, D1, D23, D30).
 */
import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../../../shared/contract/index.ts';
import type { ToolCallProposal } from '../../../../shared/contract/proposal.ts';
import { NO_CONTROL } from '../../../../shared/ports/stores/control.ts';
import { vote } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { authorizeAction } from '../../../../shared/use-cases/kernel/choices/authorize-action.ts';
import { decide, decideWith } from '../../../../shared/use-cases/kernel/decide.ts';
import { Journal } from '../../../../shared/use-cases/kernel/state/journal.ts';
import type { Session } from '../../../../shared/use-cases/kernel/state/session.ts';
import { choice, choicePolicy, choiceWorld, flow } from '../choice-world.ts';
import { bash, PEOPLE, type PolicyParts, policyOf, World } from '../world.ts';

const batch = (proposalId: string, ...commands: string[]) => ({
  kind: 'tool-call',
  proposalId,
  calls: commands.map((command, n) => ({ id: `c${n}`, toolName: 'Bash', input: { command } })),
});
const operate = (world: World, operation: Record<string, unknown>) => {
  world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason: 'incident', ...operation }));
  return world.clock.advance(1);
};
const sessionOf = ({ gate }: World, over: Partial<Session> = {}): Session => {
  const settings = gate.parts.policy.settings.agents['coder'] as Session['settings'];
  return { pid: 'p', agent: 'coder', sessionId: 'main', mode: 'default', control: NO_CONTROL, settings, ...over };
};
const START = { type: 'now', place: 'start', round: 0, at: '2026-11-21T09:00:00.000Z' } as const;

describe('who decided', () => {
  test('is the rule by its id, where a rule did', async () => {
    const world = new World();
    await world.send(bash('p1', 'rm x'));
    const { decidedBy } = await world.decided('p1');
    expect(decidedBy).toEqual({ type: 'rule', id: (await world.audit('p1'))[0]?.calls?.[0]?.rule?.id });
  });

  test('is the system by its stage, where the mode did', async () => {
    const world = new World(policyOf({ agents: '  coder: { owner: olga, mode: dontAsk }' }));
    await world.send(bash('p1', 'make all'));
    expect((await world.decided('p1')).decidedBy).toEqual({ type: 'system', id: 'mode_dispatch' });
  });

  test('is the classifier, where it did', async () => {
    const more = "classifier: { deny: ['Bash(curl:*)'] }";
    const world = new World(policyOf({ agents: '  coder: { owner: olga, mode: auto }', more }));
    await world.send(bash('p1', 'curl https://x.test'));
    expect((await world.decided('p1')).decidedBy).toMatchObject({ type: 'classifier' });
  });

  test('are all who edited and all who approved, each once', async () => {
    const world = new World(policyOf({ ask: ["'Bash(git push:*)'", "'Bash(make:*)'"] }));
    const by = async (...people: ('alice' | 'bob')[]) => {
      const id = people.join('-');
      await world.send(bash(id, `git push ${id}`));
      const [editor, ...others] = people;
      await world.edit(id, editor as 'alice', { command: `make ${id}` });
      for (const who of others) await world.click(id, who);
      return (await world.decided(id)).decidedBy.id;
    };
    expect(await by('alice', 'bob')).toBe('T0DEMO/U0ALICE,T0DEMO/U0BOB');
    expect(await by('alice', 'alice')).toBe('T0DEMO/U0ALICE');
  });
});

test('an older rejection of the same call denies an edit to it, and undoes no approval of the edited call', async () => {
  const world = new World(policyOf({ ask: ["'Bash(git push:*)'", "'Bash(make:*)'"] }));
  await world.send(bash('same', 'make x'));
  await world.send(bash('before', 'git push one'));
  await world.send(bash('after', 'git push two'));
  await world.edit('before', 'alice', { command: 'make x' });
  await world.click('same', 'bob', 'reject');
  await world.edit('after', 'alice', { command: 'make x' });
  expect(await world.decided('after')).toMatchObject({ outcome: 'denied', reasonCode: 'edit_denied' });
  await world.click('before', 'bob');
  expect(await world.decided('before')).toMatchObject({ outcome: 'approved', reasonCode: 'edited' });
});

test.each([
  ['a rule', 'git status', 15],
  ['a person', 'make all', 24 * 60],
])('a permit that %s gave by allowing %s lasts %i minutes (A19)', async (_, command, minutes) => {
  const world = new World();
  await world.send(bash('p1', command));
  if (command === 'make all') await world.click('p1', 'alice');
  const { issuedAt = '', expiresAt = '' } = (await world.decided('p1')).calls[0]?.permit ?? {};
  expect(Date.parse(expiresAt) - Date.parse(issuedAt)).toBe(minutes * 60_000);
});

test('who answers instead of a call is quoted to the model', async () => {
  const world = new World();
  await world.send(bash('p1'));
  const { approval } = await world.row('p1');
  const ballot = { choice: 'respond', answer: 'Use the mirror.', questionDigest: approval.question.digest } as const;
  const click = { pid: approval.pid, person: PEOPLE.alice, isBot: false, requestId: 'r1' };
  await vote({ ...click, ballot: { ...ballot, via: 'slack' } }, world.gate.parts);
  await world.rest();
  const decision = await world.decided('p1');
  expect(decision).toMatchObject({ outcome: 'answered', reasonCode: 'answered' });
  expect(decision.message).toContain('Use the mirror.');
});

describe('of a batch', () => {
  const ODD = { id: 'odd', toolName: 'constructor', input: {} };
  test.each([
    [['git status', 'git status -s'], [], 'approved'],
    [['git status', 'rm x'], [], 'denied'],
    [['git status', 'rm x'], [ODD], 'error'],
    [['git status'], [ODD], 'error'],
  ])('of %j and %j the strongest outcome is that of all: %s (D1)', async (commands, more, outcome) => {
    const world = new World();
    const { calls, ...rest } = batch('p1', ...commands);
    await world.send({ ...rest, calls: [...calls, ...more] });
    expect((await world.decided('p1')).outcome).toBe(outcome);
  });

  test('the call that was allowed stays allowed when the answer about the other no longer counts (A17)', async () => {
    const world = new World();
    await world.send(batch('p1', 'git status', 'make all'));
    const approvers = '  platform: { members: [bob], channel: approvals }';
    world.gate.usePolicy(policyOf({ approvers, approvals: '{ approvers: platform, timeout: 2h }' }));
    await world.click('p1', 'bob');
    const { calls } = await world.decided('p1');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['approved', 'superseded']);
    expect(calls.map(({ permit }) => permit?.permitId.length)).toEqual([32, undefined]);
  });

  test('a call that was denied stays denied when its rule goes while the other waits (A16)', async () => {
    const world = new World();
    const rule = { agent: 'coder', session: 'main', effect: 'deny', pattern: 'Bash(git status:*)' };
    await operate(world, { kind: 'add-rule', ...rule });
    await world.send(batch('p1', 'git status', 'make all'));
    await operate(world, { kind: 'remove-rule', operationId: 'o2', ...rule });
    await world.send(bash('p2', 'git status'));
    expect((await world.decided('p2')).outcome).toBe('approved');
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).calls.map(({ outcome }) => outcome)).toEqual(['denied', 'approved']);
  });
});

describe('a message tightens (A3)', () => {
  const AUTO: PolicyParts = {
    agents: '  coder: { owner: olga, mode: auto }\n  writer: { owner: olga }',
    more: "classifier: { deny: ['Bash(curl:*)'], allow: ['Bash(echo:*)'] }",
  };
  test.each<[string, PolicyParts, Record<string, unknown>, string, string]>([
    ['by a deny rule', {}, { rules: [{ effect: 'deny', pattern: 'Bash(git status:*)' }] }, 'git status', 'denied'],
    ['by an ask rule', {}, { rules: [{ effect: 'ask', pattern: 'Bash(git status:*)' }] }, 'git status', 'waits'],
    [
      'by a rule on something else, nothing',
      {},
      { rules: [{ effect: 'deny', pattern: 'Read' }] },
      'git status',
      'approved',
    ],
    ['by a mode, while a classifier is asked', AUTO, { mode: 'plan' }, 'echo hi', 'denied'],
    ['by a mode that asks a classifier', { more: AUTO.more as string }, { mode: 'auto' }, 'curl x', 'denied'],
  ])('%s', async (_, parts, more, command, expected) => {
    const world = new World(policyOf(parts));
    await world.send(bash('p1', command, more));
    expect((await world.decision('p1'))?.outcome ?? (await world.row('p1')).approval.status).toBe(
      expected === 'waits' ? 'pending' : expected,
    );
  });
});

test('a run that keeps asking is given up after 64 rounds', async () => {
  const world = new World(policyOf({ agents: '  coder: { owner: olga, mode: auto }', more: 'classifier: {}' }));
  const proposal = { ...batch('p1', 'make all') } as unknown as ToolCallProposal;
  let rounds = 0;
  const answer = async () => {
    rounds += 1;
    return { type: 'hook', by: 'nobody asked', answer: { state: 'failed', why: 'no' } } as const;
  };
  const run = decideWith(
    answer,
    proposal,
    sessionOf(world, { mode: 'auto' }),
    new Journal([START]),
    world.gate.parts,
    0,
  );
  await expect(run).rejects.toThrow('keeps asking');
  expect(rounds).toBe(64);
});

test('a call without a JSON form is an error, and has no digest', async () => {
  const world = new World();
  const calls: ToolCall[] = [{ id: 'c', toolName: 'Bash', input: { command: 'echo \ud800' } }];
  const proposal = { kind: 'tool-call', proposalId: 'p1', calls } as unknown as ToolCallProposal;
  const run = await decide(proposal, sessionOf(world), new Journal([START]), world.gate.parts, 0);
  expect(run).toMatchObject({ kind: 'decided', answer: { outcome: 'error', actionDigest: null } });
});

describe('a flow', () => {
  const document = choicePolicy({ ask: ["'Flow(cancel_order)'"], allow: ["'Flow(update_status)'"] });
  const { world } = choiceWorld([], document);
  const judged = (flowId: string, over: Partial<Session> = {}) =>
    authorizeAction(flow(flowId), sessionOf(world, over), new Journal([START]), world.gate.parts, 0);

  test('that a rule asks about is denied where nobody is asked, with the reason', () => {
    const settings = { ...sessionOf(world).settings, unattended: true };
    expect(judged('cancel_order')).toMatchObject({ verdict: 'ask' });
    expect(judged('cancel_order', { mode: 'dontAsk' })).toMatchObject({ verdict: 'deny', reason: 'dont_ask' });
    expect(judged('cancel_order', { settings })).toMatchObject({ verdict: 'deny', reason: 'no_handler' });
    expect(judged('other')).toBeUndefined();
  });

  test('that cannot be judged is an error', () => {
    expect(judged('cancel_order\ud800')).toMatchObject({ verdict: 'error' });
  });

  test('that a rule allows waits for a person under a brake', async () => {
    const { world: paused } = choiceWorld([], document);
    await operate(paused, { kind: 'pause', scope: { tool: 'Flow' }, effect: 'ask' });
    await paused.send(choice('c1', 'first'));
    expect((await paused.row('c1')).approval.question).toMatchObject({ why: 'An operator wants a person asked.' });
  });
});
