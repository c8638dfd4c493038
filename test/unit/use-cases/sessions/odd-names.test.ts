/**
 * Checks that a name of `Object.prototype` in a message is an unknown name (G9).
 *
 * The sender gets one answer, as for any name that the policy file does not list.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startProblem } from '../../../../shared/use-cases/sessions/session-updates.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];
const HOUR = 3_600_000;
const CONVERSATION = '99999999-9999-4999-8999-999999999999';

/** Where a message may put a word that something is looked up by. */
const MESSAGES: Readonly<Record<string, (name: string) => object>> = {
  'agentId of starts': (name) => bash('p', 'git status', { starts: { agentId: name, sessionId: 'x' } }),
  'sessionId of starts': (name) => bash('p', 'git status', { starts: { agentId: 'writer', sessionId: name } }),
  agentId: (name) => bash('p', 'git status', { agentId: name }),
  tenantId: (name) => bash('p', 'git status', { tenantId: name }),
  sessionId: (name) => bash('p', 'git status', { sessionId: name }),
  parentAgentId: (name) => bash('p', 'git status', { parentAgentId: name }),
  parentSessionId: (name) => bash('p', 'git status', { parentSessionId: name }),
  requester: (name) => bash('p', 'git status', { requester: name }),
  toolName: (name) => ({ kind: 'tool-call', proposalId: 'p', toolName: name, input: { command: 'x' } }),
  'name of a field': (name) => ({
    kind: 'tool-call',
    proposalId: 'p',
    toolName: 'Bash',
    input: { command: 'x', [name]: 1 },
  }),
  proposalId: (name) => bash(name, 'git status'),
  kind: (name) => ({ kind: name, proposalId: 'p' }),
  mode: (name) => bash('p', 'git status', { mode: name }),
  'a rule': (name) => bash('p', 'git status', { rules: [{ effect: 'deny', pattern: name }] }),
  'effect of a rule': (name) => bash('p', 'git status', { rules: [{ effect: name, pattern: 'Bash' }] }),
  allowedDecisions: (name) => bash('p', 'git status', { allowedDecisions: [name] }),
  'a name of an annotation': (name) => bash('p', 'git status', { annotations: { [name]: true } }),
  cancels: (name) => ({ kind: 'cancel', proposalId: 'p', cancels: name }),
  'action space': (name) => ({
    kind: 'action-choice',
    proposalId: 'p',
    policy: name,
    actionSpace: {
      entity_type: name,
      entity_id: name,
      actions: [{ persona_id: name, flow_id: name, instance_bindings: {} }],
    },
    snapshot: {},
  }),
  'user of a task': (name) => ({
    kind: 'task-message',
    proposalId: 'p',
    context: { user_id: name, message: 'hi', conversation_id: CONVERSATION },
  }),
  'user of a task, as an object': (name) => ({
    kind: 'task-message',
    proposalId: 'p',
    context: { user_id: { [name]: 1 }, message: { [name]: 1 }, conversation_id: { [name]: 1 } },
  }),
};

const more = 'taskAgent: { enabled: true }';

describe.each(Object.entries(MESSAGES))('%s', (_, messageOf) => {
  test.each(NAMES)('%s is answered, and nobody is asked twice', async (name) => {
    const world = new World(policyOf({ more }));
    await world.send(messageOf(name));
    expect(world.faults).toEqual([]);
    expect(world.gate.queues.proposals.deadLetters).toEqual([]);
    const replies = world.gate.replies.sentTo('coder');
    expect(replies.length + world.slack.cards.size).toBeGreaterThan(0);
    for (const reply of replies) expect(reply.reasonCode).not.toBe('evaluation_failed');
    await world.clock.advance(2 * HOUR);
    expect(world.faults).toEqual([]);
  });
});

test.each(NAMES)('%s is no agent that a session may start', async (name) => {
  const world = new World();
  await world.send(bash('p', 'git status', { starts: { agentId: name, sessionId: 'x' } }));
  expect(await world.decided('p')).toMatchObject({ outcome: 'error', reasonCode: 'unlisted_parent' });
});

test.each(NAMES)('%s is nobody in whose name an agent acts', async (name) => {
  const world = new World();
  await world.send(bash('p', 'git status', { requester: name }));
  expect(await world.decided('p')).toMatchObject({ outcome: 'error', reasonCode: 'unlisted_requester' });
});

describe('an operator, and a person in Slack', () => {
  const operations = (name: string): object[] => [
    { kind: 'pause', agent: name, reason: 'r' },
    { kind: 'pause', tool: name, reason: 'r' },
    { kind: 'set-mode', agent: name, session: name, mode: 'plan', reason: 'r' },
    { kind: 'revoke', agent: name, session: name, reason: 'r' },
    { kind: 'decide', agent: name, proposalId: name, choice: 'approve', reason: 'r' },
    { kind: 'delegate', person: name, to: name, until: '2026-11-25T00:00:00Z', reason: 'r' },
    { kind: name, reason: 'r' },
  ];
  test.each(NAMES)('who names %s is told no, and nothing fails', async (name) => {
    const world = new World();
    for (const [index, operation] of operations(name).entries())
      world.gate.operateAs('oncall', JSON.stringify({ operationId: `o${index}`, ...operation }));
    world.gate.operateAs(name, JSON.stringify({ kind: 'resume', operationId: 'x', reason: 'r' }));
    const person = { team: 'T0DEMO', user: 'U0ALICE' };
    const asked = { operationId: 'a', name: 'Alice', groups: [name], person };
    world.gate.askInSlack({ ...asked, wanted: { kind: 'revoke', agent: name, session: name, grant: name } } as never);
    await world.rest();
    await world.clock.advance(HOUR);
    expect(world.faults).toEqual([]);
  });
});

test('for all odd words: nothing throws, nothing is found, and there is one answer', async () => {
  const word = fc.oneof(
    fc.constantFrom(...NAMES, 'main', '*', '#', 'coder', ' ', '\u200b', 'a.b', '0', '-1', 'null'),
    fc.string({ minLength: 1, maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.values(MESSAGES)), word, async (messageOf, name) => {
      const world = new World(policyOf({ more }));
      await world.send(JSON.stringify(messageOf(name)));
      expect(world.faults).toEqual([]);
      for (const { reasonCode } of world.gate.replies.sentTo('coder')) expect(reasonCode).not.toBe('evaluation_failed');
    }),
    { numRuns: 200 },
  );
});

describe('a throw while judging', () => {
  test('is an error to the sender, audited, once; its batch mates are answered', async () => {
    const world = new World();
    const hostile = world.gate.parts.policy.settings.agents;
    // Reading the settings of one agent fails, as a fault in the code would.
    Object.defineProperty(hostile, 'broken', {
      get() {
        throw new TypeError('secret words of the fault');
      },
    });
    await Promise.all([
      world.send(bash('p', 'git status', { starts: { agentId: 'broken', sessionId: 'x' } })),
      world.send(bash('q', 'git status')),
    ]);
    const decision = await world.decided('p');
    expect(decision).toMatchObject({ outcome: 'error', reasonCode: 'evaluation_failed', calls: [] });
    expect(decision.message).toContain('TypeError');
    expect(decision.message).not.toContain('secret words');
    expect((await world.decided('q')).outcome).toBe('approved');
    await world.clock.advance(HOUR);
    expect(world.faults).toEqual([]);
    expect(world.gate.queues.proposals.deadLetters).toEqual([]);
    expect(await world.audit('p')).toMatchObject([
      { type: 'evaluated', outcome: 'error', reasonCode: 'evaluation_failed' },
    ]);
    expect(world.gate.replies.sentTo('coder').filter(({ proposalId }) => proposalId === 'p')).toHaveLength(1);
  });

  test('a store that fails, also with a TypeError, is tried again and never an answer', async () => {
    let failing = true;
    const world = new World(policyOf(), {
      wrap: (name, port) =>
        name !== 'sessions'
          ? port
          : new Proxy(port, {
              get: (target, key, receiver) =>
                failing
                  ? () => {
                      throw new TypeError('down');
                    }
                  : Reflect.get(target, key, receiver),
            }),
    });
    await world.send(
      bash('p', 'git status', { starts: { agentId: 'writer', sessionId: 'x' }, parentAgentId: undefined }),
    );
    await world.send(bash('q', 'make x', { sessionId: 'other' }));
    failing = false;
    await world.clock.advance(HOUR / 2);
    for (const { reasonCode } of world.gate.replies.sentTo('coder')) expect(reasonCode).not.toBe('evaluation_failed');
  });
});

test('the agent of a session is looked up among those that are listed', () => {
  const { policy } = new World().gate.parts;
  const proposal = { kind: 'tool-call', starts: { agentId: 'constructor', sessionId: 'x' } };
  expect(
    startProblem(proposal as never, { agent: 'coder', sessionId: 'main' } as never, undefined, PEOPLE.olga, {
      policy,
    } as never),
  ).toBe('unlisted_parent');
});
