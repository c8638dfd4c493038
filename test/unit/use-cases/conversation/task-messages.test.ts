/**
 * Checks messages to the task agent over the queue.
 *
 * Each is decided, judged, claimed once, and recorded as seed 2 asks.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AgentDecision, ToolResult } from '../../../../shared/task-agent/index.ts';
import { policyOf, World } from '../world.ts';

const TALK = '99999999-9999-4999-8999-999999999999';
const TASK_AGENT = 'taskAgent: { enabled: true }';

interface Saying {
  readonly user?: string;
  readonly agent?: string;
  readonly talk?: string;
  readonly more?: Record<string, unknown>;
}

/** Says something as a user of an agent; gives what the agent reads. */
async function say(world: World, text: string, { user = 'u1', agent, talk = TALK, more }: Saying = {}) {
  const proposalId = randomUUID();
  const context = { user_id: user, message: text, conversation_id: talk };
  await world.send({ kind: 'task-message', proposalId, context, ...more }, agent ? { agent } : {});
  const decision = await world.decided(proposalId, agent);
  return { proposalId, decision, answer: decision.answer as AgentDecision };
}

const worldWith = (parts: Parameters<typeof policyOf>[0] = {}) => new World(policyOf({ more: TASK_AGENT, ...parts }));
const textOf = ({ answer }: Awaited<ReturnType<typeof say>>) => answer.response_text ?? answer.clarification_question;
const tasksOf = async (world: World, owner = 'agent:coder/u1') =>
  (await world.gate.parts.tasks.list(owner)).map(({ description }) => description);

describe('a message to the task agent', () => {
  test('is answered with the engine’s decision, and recorded as the contract says', async () => {
    const world = worldWith();
    const reply = await say(world, 'remind me to buy milk');
    expect(reply.decision).toMatchObject({
      outcome: 'answered',
      message: "I've added 'buy milk' to your tasks.",
      reasonCode: 'invoke_tool',
      calls: [],
    });
    expect(reply.answer.tool_calls).toEqual([
      { tool_name: 'add_task', parameters: { user_id: 'u1', description: 'buy milk' }, sequence: 1 },
    ]);
    expect(await tasksOf(world)).toEqual(['buy milk']);
    const [entry, ...others] = await world.audit(reply.proposalId);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      type: 'evaluated',
      outcome: 'answered',
      calls: [{ toolName: 'add_task', verdict: 'allow', rule: { pattern: 'add_task', source: 'default' } }],
      task: {
        conversation_id: TALK,
        user_id: 'u1',
        input_message: 'remind me to buy milk',
        classified_intent: 'CREATE_TASK',
        decision_type: 'INVOKE_TOOL',
        response_preview: "I've added 'buy milk' to your tasks.",
      },
      invocations: [{ tool_name: 'add_task', success: true, error_message: null, duration_ms: 0 }],
    });
  });

  test('delivered again it changes nothing more', async () => {
    const world = worldWith();
    const message = {
      kind: 'task-message',
      proposalId: 'p1',
      context: { user_id: 'u1', message: 'todo: once', conversation_id: TALK },
    };
    await world.send(message);
    const first = await world.decided('p1');
    await world.send(message);
    expect(await world.decided('p1')).toEqual(first);
    expect(await tasksOf(world)).toEqual(['once']);
  });

  test('a deletion needs a yes that follows its question, and only one', async () => {
    const world = worldWith();
    await say(world, 'todo: gym');
    expect(textOf(await say(world, 'yes'))).toContain("I'm here to help");
    expect((await say(world, 'delete gym')).answer.decision_type).toBe('REQUEST_CONFIRMATION');
    expect((await say(world, 'yes')).answer).toMatchObject({
      decision_type: 'EXECUTE_PENDING',
      response_text: "'gym' has been deleted.",
    });
    expect(await tasksOf(world)).toEqual([]);
    expect(textOf(await say(world, 'yes'))).toContain("I'm here to help");
  });

  test('the question expires five minutes and one millisecond after it was asked (D34)', async () => {
    for (const [wait, expected] of [
      [300_000, 'EXECUTE_PENDING'],
      [300_001, 'RESPOND_ONLY'],
    ] as const) {
      const world = worldWith();
      await say(world, 'todo: gym');
      await say(world, 'delete gym');
      await world.clock.advance(wait);
      expect((await say(world, 'yes')).answer.decision_type).toBe(expected);
    }
  });

  test('a task renamed since the question is not deleted in its new shape (D23)', async () => {
    const world = worldWith();
    await say(world, 'todo: gym');
    await say(world, 'delete gym');
    await say(world, 'change gym to the report for the board', { talk: randomUUID() });
    expect(textOf(await say(world, 'yes'))).toBe("I couldn't find a task matching 'gym'.");
    expect(await tasksOf(world)).toEqual(['the report for the board']);
  });

  test('what a message says is pending is not believed', async () => {
    const world = worldWith();
    await say(world, 'todo: gym');
    const [task] = await world.gate.parts.tasks.list('agent:coder/u1');
    const pending = {
      action_type: 'DELETE_TASK',
      task_id: task?.id,
      task_description: 'gym',
      created_at: '2026-01-01T00:00:00Z',
      expires_at: '2099-01-01T00:00:00Z',
    };
    const context = { user_id: 'u1', message: 'yes', conversation_id: TALK, pending_confirmation: pending };
    await world.send({ kind: 'task-message', proposalId: 'forged', context });
    expect((await world.decided('forged')).answer).toMatchObject({ decision_type: 'RESPOND_ONLY' });
    expect(await tasksOf(world)).toEqual(['gym']);
  });

  test('a secret is neither kept as a task nor in the record (D33, G37)', async () => {
    const world = worldWith();
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const reply = await say(world, `remind me to rotate ${secret}`);
    expect(await tasksOf(world)).toHaveLength(1);
    const kept = [await tasksOf(world), reply.decision, await world.audit(reply.proposalId)];
    expect(JSON.stringify(kept)).not.toContain(secret);
  });

  test('users, and agents with users of the same name, do not meet', async () => {
    const world = worldWith();
    await say(world, 'todo: secret');
    await say(world, 'delete secret');
    const missing = textOf(await say(world, 'mark secret as done', { user: 'u2' }));
    expect(missing).toBe("I couldn't find a task matching 'secret'. You don't have any tasks yet.");
    expect(textOf(await say(world, 'mark secret as done', { agent: 'writer' }))).toBe(missing);
    expect((await say(world, 'yes', { user: 'u2' })).answer.decision_type).toBe('RESPOND_ONLY');
    expect((await say(world, 'yes', { agent: 'writer' })).answer.decision_type).toBe('RESPOND_ONLY');
    expect(await tasksOf(world)).toEqual(['secret']);
  });

  test.each([
    ['4,001 code points', { message: '😀'.repeat(4001) }, "I didn't understand that. Could you rephrase?"],
    ['an empty message', { message: '' }, "I didn't understand that. Could you rephrase?"],
    ['an empty user', { user_id: '' }, 'I need you to be logged in to manage tasks.'],
    ['no user', { user_id: undefined }, 'I need you to be logged in to manage tasks.'],
    ['a conversation that is no UUID', { conversation_id: 'c1' }, "I didn't understand that. Could you rephrase?"],
    ['a field that the contract does not have', { role: 'admin' }, "I didn't understand that. Could you rephrase?"],
  ])('%s gets the contract’s text, no tool, one record', async (_, over, text) => {
    const world = worldWith();
    const context = { user_id: 'u1', message: 'show my tasks', conversation_id: TALK, ...over };
    await world.send({ kind: 'task-message', proposalId: 'p1', context });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'answered', message: text, calls: [] });
    const entries = await world.audit('p1');
    expect(entries).toMatchObject([{ task: { classified_intent: 'NONE', tool_calls: null } }]);
  });

  test('without a task agent, and with an unknown field, it is an error that names it', async () => {
    const world = new World();
    expect((await say(world, 'hello')).decision).toMatchObject({ outcome: 'error', reasonCode: 'unsupported_kind' });
    const on = worldWith();
    await on.send({ kind: 'task-message', proposalId: 'p1', context: {}, pending_confirmation: {} });
    expect(await on.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'unknown_field' });
    await on.send({ kind: 'task-message', proposalId: 'p2', context: {}, results: [] });
    expect((await on.decided('p2')).message).toContain('tools');
  });
});

describe('the permission pipeline stands in front of the tools', () => {
  const refusal = /^Sorry, I wasn't able to/;

  test('a deny rule wins over a confirmed deletion', async () => {
    const world = worldWith({ deny: ['delete_task'] });
    await say(world, 'todo: gym');
    await say(world, 'delete gym');
    const reply = await say(world, 'yes');
    expect(textOf(reply)).toBe("Sorry, I wasn't able to delete the task: the rules here do not allow it.");
    expect(await tasksOf(world)).toEqual(['gym']);
    expect((await world.audit(reply.proposalId))[0]?.calls).toMatchObject([{ verdict: 'deny' }]);
  });

  test.each([
    ['a rule of the file that asks', { ask: ['delete_task'] }],
    [
      'a group of approvers',
      { more: `${TASK_AGENT}\ntools: { delete_task: { permissions: [Write], approvers: platform } }` },
    ],
    ['a high severity', { more: `${TASK_AGENT}\ntools: { delete_task: { permissions: [Write], severity: high } }` }],
  ])('a yes of one’s own is not enough for %s (D34)', async (_, parts) => {
    const world = worldWith(parts);
    await say(world, 'todo: gym');
    await say(world, 'delete gym');
    const answer = textOf(await say(world, 'yes'));
    expect(answer).toMatch(refusal);
    expect(answer).toContain('somebody else has to approve that');
    expect(answer).not.toContain('try again');
    expect(await tasksOf(world)).toEqual(['gym']);
  });

  test('an agent in plan mode reads and changes nothing; a pause holds', async () => {
    const world = worldWith({ agents: '  coder: { owner: olga, mode: plan }\n  writer: { owner: olga }' });
    expect(textOf(await say(world, 'todo: gym'))).toContain('the rules here do not allow it');
    expect(textOf(await say(world, 'show my tasks'))).toBe("You don't have any tasks yet.");
    world.gate.operateAs(
      'oncall',
      JSON.stringify({ kind: 'pause', operationId: 'o1', scope: { all: true }, effect: 'deny', reason: 'stop' }),
    );
    await world.rest();
    const paused = textOf(await say(world, 'show my tasks', { agent: 'writer' }));
    expect(paused).toBe("Sorry, I wasn't able to list your tasks. Please try again.");
  });

  test('proposed as calls of their own, four tools are allowed and deleting asks a person', async () => {
    const world = worldWith();
    const call = (proposalId: string, toolName: string, input: object) =>
      world.send({ kind: 'tool-call', proposalId, toolName, input });
    await call('p1', 'add_task', { user_id: 'u1', description: 'gym' });
    expect((await world.decided('p1')).outcome).toBe('approved');
    await call('p2', 'delete_task', { user_id: 'u1', task_id: randomUUID() });
    expect((await world.row('p2')).approval.status).toBe('pending');
  });
});

describe('with a model as classifier', () => {
  const model = '{ provider: anthropic, model: reader-1, secret: reader-key }';
  const document = policyOf({ more: `taskAgent: { enabled: true, model: ${model} }` });
  const wish = { intent_type: 'CREATE_TASK', confidence: 0.9, extracted_params: { description: 'buy milk' } };

  test('what no pattern tells is put aside, and decided where a model may be asked (A11, A18b)', async () => {
    const asked: string[] = [];
    const world = new World(document, {
      taskClassifier: (text) => {
        asked.push(text);
        return wish;
      },
    });
    expect(textOf(await say(world, 'we are out of milk'))).toBe("I've added 'buy milk' to your tasks.");
    expect(textOf(await say(world, 'show my tasks'))).toContain('buy milk');
    expect(textOf(await say(world, 'hello'))).toContain('added');
    expect(asked).toEqual(['we are out of milk', 'hello']);
  });

  test('a turn of a caller keeps the intent with which it began', async () => {
    let answers = 0;
    const world = new World(document, {
      taskClassifier: () => {
        answers += 1;
        return answers === 1 ? { ...wish, intent_type: 'LIST_TASKS', extracted_params: null } : wish;
      },
    });
    const first = await say(world, 'how are things', { more: { tools: 'caller' } });
    expect(first.answer.tool_calls).toMatchObject([{ tool_name: 'list_tasks' }]);
    const context = { user_id: 'u1', conversation_id: TALK };
    const next = { kind: 'task-message', proposalId: 'next', context, tools: 'caller', continues: first.proposalId };
    await world.send({ ...next, results: [{ success: true, data: [] }] });
    expect((await world.decided('next')).message).toBe("You don't have any tasks yet.");
  });
});

describe('when the caller runs the tools (R2-074)', () => {
  const ok = (data: unknown = null): ToolResult => ({ success: true, data });
  const gym = { id: randomUUID(), description: 'gym', status: 'pending' };
  const more = { tools: 'caller' };
  const go = async (world: World, first: string, results: ToolResult[]) => {
    const proposalId = randomUUID();
    const context = { user_id: 'u1', conversation_id: TALK };
    await world.send({ kind: 'task-message', proposalId, context, tools: 'caller', continues: first, results });
    return world.decided(proposalId);
  };

  test('each call comes with a permit, and the text after its success', async () => {
    const world = worldWith();
    const first = await say(world, 'mark gym as done', { more });
    expect(first.decision.calls).toMatchObject([{ outcome: 'approved', permit: { guardrails: {} } }]);
    expect(first.answer).toMatchObject({ tool_calls: [{ tool_name: 'list_tasks' }], response_text: null });
    const second = await go(world, first.proposalId, [ok([gym])]);
    expect(second.answer).toMatchObject({ tool_calls: [{}, { tool_name: 'complete_task' }], response_text: null });
    expect(second.calls.map(({ id }) => id)).toEqual(['call-2']);
    const third = await go(world, first.proposalId, [ok([gym]), ok()]);
    expect(third).toMatchObject({ message: "Done! 'gym' has been marked as completed.", calls: [] });
    expect(await tasksOf(world)).toEqual([]);
  });

  test('a yes gives one permit to delete, and no second', async () => {
    const world = worldWith();
    const first = await say(world, 'delete gym', { more });
    expect((await go(world, first.proposalId, [ok([gym])])).answer).toMatchObject({
      decision_type: 'REQUEST_CONFIRMATION',
    });
    const yes = await say(world, 'yes', { more });
    expect(yes.answer).toMatchObject({ decision_type: 'EXECUTE_PENDING', response_text: null });
    expect(yes.decision.calls).toHaveLength(1);
    expect((await say(world, 'yes', { more })).decision.calls).toEqual([]);
    expect(await go(world, yes.proposalId, [ok()])).toMatchObject({ outcome: 'error', reasonCode: 'unknown_turn' });
  });

  test('a denied call is not handed out', async () => {
    const world = worldWith({ deny: ['list_tasks'] });
    const first = await say(world, 'show my tasks', { more });
    expect(first.decision).toMatchObject({
      calls: [],
      message: "Sorry, I wasn't able to list your tasks: the rules here do not allow it.",
    });
  });

  test('results of another turn are refused', async () => {
    const world = worldWith();
    const first = await say(world, 'delete gym', { more });
    await say(world, 'hello', { more });
    expect(await go(world, first.proposalId, [ok([gym])])).toMatchObject({ reasonCode: 'unknown_turn' });
    expect(await go(world, 'never-sent', [ok([gym])])).toMatchObject({ reasonCode: 'unknown_turn' });
  });
});

describe('guardrails around the tools that the gate runs', () => {
  const guarded = (guardrails: string, more: Parameters<typeof policyOf>[0] = {}) =>
    worldWith({ more: `${TASK_AGENT}\nguardrails: ${guardrails}`, ...more });

  test('a rate that the file sets holds for one tool, and the record says what refused it', async () => {
    const world = guarded('{ tools: { add_task: { ratePerSecond: 0.001, burst: 2 } } }');
    for (const task of ['a b', 'c d']) expect(textOf(await say(world, `todo: ${task}`))).toContain('added');
    const refused = await say(world, 'todo: e f');
    expect(textOf(refused)).toBe("Sorry, I wasn't able to add the task. Please try again.");
    expect(await tasksOf(world)).toEqual(['c d', 'a b']);
    const [entry] = await world.audit(refused.proposalId);
    expect(entry?.invocations).toMatchObject([{ tool_name: 'add_task', success: false, error_message: 'RateLimited' }]);
    expect(textOf(await say(world, 'show my tasks'))).toContain('1. [ ] c d');
    await world.clock.advance(1_000_000);
    expect(textOf(await say(world, 'todo: e f'))).toContain('added');
  });

  test('a refused deletion deletes nothing, and the next yes needs a question of its own', async () => {
    const world = guarded('{ tools: { delete_task: { ratePerSecond: 0.001, burst: 1 } } }');
    for (const task of ['one thing', 'other thing']) await say(world, `todo: ${task}`);
    await say(world, 'delete one thing');
    expect(textOf(await say(world, 'yes'))).toBe("'one thing' has been deleted.");
    await say(world, 'delete other thing');
    expect(textOf(await say(world, 'yes'))).toBe("Sorry, I wasn't able to delete the task. Please try again.");
    expect(await tasksOf(world)).toEqual(['other thing']);
    await world.clock.advance(1_000_000);
    expect((await say(world, 'yes')).answer.decision_type).toBe('RESPOND_ONLY');
    expect(await tasksOf(world)).toEqual(['other thing']);
  });

  test('limits of the agent and of the environment hold too; one of another tool does not', async () => {
    for (const layer of [
      'agents: { coder: { ratePerSecond: 0.001, burst: 1 } }',
      'environments: { production: { ratePerSecond: 0.001, burst: 1 } }',
    ]) {
      const world = guarded(`{ ${layer} }`);
      expect(textOf(await say(world, 'todo: a b'))).toContain('added');
      expect(textOf(await say(world, 'todo: c d'))).toContain('Sorry');
    }
    const other = guarded('{ tools: { complete_task: { ratePerSecond: 0.001, burst: 1 } } }');
    for (const task of ['a b', 'c d', 'e f']) expect(textOf(await say(other, `todo: ${task}`))).toContain('added');
  });

  test('a store that does not answer in the time that the file sets is a time-out, and faults open the circuit', async () => {
    const world = guarded('{ tools: { list_tasks: { timeoutMs: 200, failureThreshold: 2 } } }');
    const { tasks } = world.gate.parts;
    const list = tasks.list.bind(tasks);
    Object.assign(tasks, { list: () => Promise.reject(new Error('the table is down')) });
    for (let attempt = 0; attempt < 2; attempt++) expect(textOf(await say(world, 'show my tasks'))).toContain('Sorry');
    Object.assign(tasks, { list });
    const open = await say(world, 'show my tasks');
    expect(textOf(open)).toContain('Sorry');
    expect((await world.audit(open.proposalId))[0]?.invocations?.[0]?.error_message).toBe('CircuitOpen');
    Object.assign(tasks, { list: () => new Promise(() => undefined) });
    await world.clock.advance(120_000);
    const context = { user_id: 'u1', message: 'show my tasks', conversation_id: TALK };
    const sent = world.send({ kind: 'task-message', proposalId: 'slow', context });
    await world.clock.advance(1_000);
    await sent;
    expect((await world.decided('slow')).message).toBe('This is taking longer than expected. Please try again.');
  });

  test('the file may name a tool of the task agent only where there is one, and retries only what may be repeated', () => {
    expect(() => policyOf({ more: 'guardrails: { tools: { add_task: { timeoutMs: 1000 } } }' })).toThrow(
      /add_task is neither/,
    );
    expect(() => policyOf({ more: `${TASK_AGENT}\nguardrails: { tools: { add_task: { maxRetries: 1 } } }` })).toThrow(
      /retries need effect/,
    );
    expect(() =>
      policyOf({ more: `${TASK_AGENT}\nguardrails: { tools: { complete_task: { maxRetries: 1 } } }` }),
    ).not.toThrow();
  });
});
