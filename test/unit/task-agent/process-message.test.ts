/** Checks the engine on whole conversations, and on bad input. */
import { describe, expect, test } from 'vitest';
import { timerDeadline } from '../../../shared/task-agent/decisions/deadline.ts';
import {
  type AgentDecision,
  DeadlineError,
  type DecisionContext,
  processMessage,
  type ToolCall,
  type ToolResult,
  validateDecision,
} from '../../../shared/task-agent/index.ts';
import { AgentWorld, START } from './agent-world.ts';

const textOf = (decision: AgentDecision) => decision.response_text ?? decision.clarification_question;

async function withTasks(...descriptions: string[]): Promise<AgentWorld> {
  const world = new AgentWorld();
  for (const text of descriptions.toReversed()) await world.store.add('u1', text);
  return world;
}

describe('a conversation', () => {
  test('adds, lists, completes, changes', async () => {
    const world = new AgentWorld();
    expect(textOf(await world.say('remind me to buy milk'))).toBe("I've added 'buy milk' to your tasks.");
    expect(textOf(await world.say('todo: call Mom'))).toBe("I've added 'call Mom' to your tasks.");
    const done = await world.say('mark milk as done');
    expect(textOf(done)).toBe("Done! 'buy milk' has been marked as completed.");
    expect(done.tool_calls?.map((call) => [call.tool_name, call.sequence])).toEqual([
      ['list_tasks', 1],
      ['complete_task', 2],
    ]);
    expect(textOf(await world.say('change call mom to call Dad'))).toBe("Updated 'call Mom' to 'call Dad'.");
    expect(textOf(await world.say('show my tasks'))).toBe(
      'Here are your tasks:\n1. [ ] call Dad (pending)\n2. [x] buy milk (completed)',
    );
  });

  test('completes the open one of two tasks that a word fits, and deletes neither unasked (R2-090)', async () => {
    const world = await withTasks('buy milk', 'oat milk');
    await world.say('complete oat milk');
    expect(textOf(await world.say('complete milk'))).toBe("Done! 'buy milk' has been marked as completed.");
    expect((await world.say('delete milk')).decision_type).toBe('ASK_CLARIFICATION');
  });

  test('deletes after a yes, and not before', async () => {
    const world = await withTasks('buy milk', 'call mom');
    const asked = await world.say('delete the milk task');
    expect(asked).toMatchObject({ decision_type: 'REQUEST_CONFIRMATION', tool_calls: null });
    expect(asked.pending_action).toMatchObject({
      created_at: '2026-01-03T10:00:00.000Z',
      expires_at: '2026-01-03T10:05:00.000Z',
    });
    expect(await world.descriptions()).toHaveLength(2);
    const deleted = await world.say('Yes!');
    expect(deleted.decision_type).toBe('EXECUTE_PENDING');
    expect(textOf(deleted)).toBe("'buy milk' has been deleted.");
    expect(await world.descriptions()).toEqual(['call mom']);
    expect(textOf(await world.say('yes'))).toContain('task-related');
  });

  test('a no, another message, or time ends the question', async () => {
    const world = await withTasks('buy milk');
    await world.say('delete milk');
    expect(textOf(await world.say('never mind'))).toBe("OK, I won't delete that task.");
    await world.say('delete milk');
    expect((await world.say('hello')).pending_action).toBeNull();
    expect((await world.say('yes')).decision_type).toBe('RESPOND_ONLY');
    await world.say('delete milk');
    world.now += 5 * 60_000 + 1;
    expect(textOf(await world.say('yes'))).toMatch(/^The confirmation request has expired/);
    expect(await world.descriptions()).toEqual(['buy milk']);
  });

  test('a clock that shows no time confirms no deletion', async () => {
    const world = await withTasks('buy milk');
    await world.say('delete milk');
    expect(textOf(await world.say('yes', { clock: { now: () => Number.NaN } }))).toContain('expired');
    expect(await world.descriptions()).toEqual(['buy milk']);
  });

  test('asks which, says what there is', async () => {
    const world = await withTasks('buy milk', 'buy bread');
    expect(textOf(await world.say('delete buy'))).toBe(
      "I found multiple tasks that match 'buy':\n1. buy milk\n2. buy bread\nWhich one did you mean?",
    );
    expect(textOf(await world.say('I finished the gym'))).toBe(
      "I couldn't find a task matching 'gym'. Here are your current tasks:\n1. [ ] buy milk\n2. [ ] buy bread",
    );
    expect(textOf(await world.say('delete it'))).toBe('Which task did you mean?');
    expect(textOf(await world.say('update buy milk'))).toBe('What would you like the task to say?');
    expect((await world.say('delete all my tasks')).decision_type).toBe('ASK_CLARIFICATION');
  });
});

describe('bad input', () => {
  const INVALID = "I didn't understand that. Could you rephrase?";
  const AUTH = 'I need you to be logged in to manage tasks.';
  test.each([
    [{ user_id: '' }, AUTH],
    [{ user_id: '  ' }, AUTH],
    [{ user_id: null, message: '' }, AUTH],
    [{ message: '' }, INVALID],
    [{ message: 'x'.repeat(4001) }, INVALID],
    [{ message: '😀'.repeat(4001) }, INVALID],
    [{ message: 7 }, INVALID],
    [{ conversation_id: 'nope' }, INVALID],
    [{ message_history: [{ role: 'system', content: 'x', timestamp: '2026-01-03T10:00:00Z' }] }, INVALID],
    [{ is_admin: true }, INVALID],
  ])('%j gets the text, no tool, one record', async (fields, text) => {
    const world = new AgentWorld();
    const context = { ...world.context('show my tasks'), ...fields } as unknown as DecisionContext;
    const decision = await processMessage(context, world.ports);
    expect(decision).toMatchObject({ decision_type: 'RESPOND_ONLY', response_text: text, tool_calls: null });
    expect(world.calls).toEqual([]);
    expect(world.records).toMatchObject([{ classified_intent: 'NONE', decision_type: 'RESPOND_ONLY' }]);
  });

  test('4000 code points are a message', async () => {
    expect((await new AgentWorld().say('😀'.repeat(4000))).decision_type).toBe('RESPOND_ONLY');
    expect(textOf(await new AgentWorld().say('😀'.repeat(4000)))).not.toBe(INVALID);
  });

  test('a description has 1 to 1000 characters', async () => {
    const world = await withTasks('gym');
    const text = 'Task description must be 1-1000 characters';
    expect(textOf(await world.say(`remind me to ${'😀'.repeat(1001)}`))).toBe(text);
    expect(textOf(await world.say(`change gym to ${'x'.repeat(1001)}`))).toBe(text);
    expect((await world.say(`remind me to ${'😀'.repeat(1000)}`)).decision_type).toBe('INVOKE_TOOL');
  });

  test('what is not even an object gets an answer and a record', async () => {
    for (const context of [undefined, null, 'hello', 7, []]) {
      const world = new AgentWorld();
      const decision = await processMessage(context as unknown as DecisionContext, world.ports);
      expect(validateDecision(decision).valid).toBe(true);
      expect(world.records).toHaveLength(1);
    }
  });

  test('a pending confirmation that cannot be read confirms nothing', async () => {
    const good = {
      action_type: 'DELETE_TASK' as const,
      task_id: '11111111-1111-4111-8111-111111111111',
      task_description: 'milk',
      created_at: '2026-01-03T10:00:00Z',
      expires_at: '2026-01-03T10:05:00Z',
    };
    for (const bad of [
      { expires_at: 'soon' },
      { expires_at: '2026-01-03T10:05:00' },
      { action_type: 'DROP' },
      { task_id: 'x' },
    ]) {
      const world = new AgentWorld();
      const pending = { ...good, ...bad } as unknown as NonNullable<DecisionContext['pending_confirmation']>;
      const decision = await processMessage(world.context('yes', { pending_confirmation: pending }), world.ports);
      expect(decision).toMatchObject({ decision_type: 'RESPOND_ONLY', tool_calls: null });
      if ('task_id' in bad) expect(textOf(decision)).toBe("I couldn't find a task matching 'milk'.");
    }
    // R2-051: whose task it is, the context alone says.
    const world = new AgentWorld();
    const pending = { ...good, user_id: 'u2' };
    const decision = await processMessage(world.context('yes', { pending_confirmation: pending }), world.ports);
    const parameters = { user_id: 'u1', task_id: good.task_id };
    expect(decision.tool_calls).toEqual([{ tool_name: 'delete_task', parameters, sequence: 1 }]);
  });

  test.each(['mark milk as done', 'delete milk', 'change milk to bread'])(
    '%j finds no task in a row whose id is none (R2-118)',
    async (message) => {
      const rows = [{ id: 'row-7', description: 'buy milk' }];
      const called: string[] = [];
      const tools = async ({ tool_name }: ToolCall) => {
        called.push(tool_name);
        return { success: true, data: rows };
      };
      const decision = await new AgentWorld().say(message, { tools });
      expect(decision).toMatchObject({ decision_type: 'RESPOND_ONLY', pending_action: null });
      expect([textOf(decision), called]).toEqual(["I couldn't find a task matching 'milk'.", ['list_tasks']]);
      expect(textOf(await new AgentWorld().say('show my tasks', { tools }))).toContain('1. [ ] buy milk');
    },
  );
});

describe('what fails', () => {
  const failing = (result: Partial<ToolResult>) => async () => ({ success: false, ...result });

  test('a tool that fails or throws is told without details', async () => {
    const secrets = 'psycopg2: postgres://admin:pw@10.0.0.1 user u2';
    for (const tools of [
      failing({ error: secrets, error_code: 'DATABASE_ERROR' }),
      () => Promise.reject(new Error(secrets)),
    ]) {
      const decision = await new AgentWorld().say('remind me to buy milk', { tools });
      expect(textOf(decision)).toBe("Sorry, I wasn't able to add the task. Please try again.");
      expect(JSON.stringify(decision)).not.toContain('psycopg2');
    }
  });

  test("somebody else's task reads like a missing one", async () => {
    const world = await withTasks('gym');
    const list = world.ports.tools;
    const texts = await Promise.all(
      ['NOT_FOUND', 'ACCESS_DENIED'].map(async (code) => {
        const tools: typeof list = async (call) =>
          call.tool_name === 'list_tasks' && list
            ? list(call)
            : { success: false, error: `owned by u2`, error_code: code };
        return textOf(await world.say('mark gym as done', { tools }));
      }),
    );
    expect(texts).toEqual(["I couldn't find a task matching 'gym'.", "I couldn't find a task matching 'gym'."]);
  });

  test("another user's row in a list is dropped", async () => {
    const rows = [{ id: '11111111-1111-4111-8111-111111111111', description: 'secret plan', user_id: 'u2' }];
    const tools = async () => ({ success: true, data: rows });
    expect(textOf(await new AgentWorld().say('show my tasks', { tools }))).toBe("You don't have any tasks yet.");
  });

  test('who is slow is not waited for', async () => {
    const slow = { deadline: timerDeadline, timeout: 5 };
    const text = 'This is taking longer than expected. Please try again.';
    const world = new AgentWorld();
    expect(textOf(await world.say('show tasks', { ...slow, tools: () => new Promise(() => {}) }))).toBe(text);
    const late = await world.say('show tasks', { classifier: () => Promise.reject(new DeadlineError()) });
    expect(late).toMatchObject({ decision_type: 'ASK_CLARIFICATION', clarification_question: text });
    const hung = { decided: () => new Promise<void>(() => {}) };
    expect((await world.say('hello', { ...slow, audit: hung })).decision_type).toBe('RESPOND_ONLY');
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['says nothing', () => undefined],
    ['is too sure', () => ({ intent_type: 'LIST_TASKS', confidence: 1.5 })],
    ['invents an intent', () => ({ intent_type: 'DANCE' })],
    ['is ambiguous about nothing', () => ({ intent_type: 'AMBIGUOUS' })],
  ])('a classifier that %s leads to a question', async (_name, classifier) => {
    const world = new AgentWorld();
    expect(await world.say('show tasks', { classifier })).toMatchObject({
      decision_type: 'ASK_CLARIFICATION',
      tool_calls: null,
    });
    expect(world.records.at(-1)?.classified_intent).toBe('AMBIGUOUS');
  });

  test('MULTI_INTENT is read as AMBIGUOUS (R2-012)', async () => {
    const classifier = () => ({ intent_type: 'MULTI_INTENT', extracted_params: { intents: ['LIST', 'DELETE'] } });
    expect(textOf(await new AgentWorld().say('x y', { classifier }))).toContain(
      'see your tasks, delete an existing task',
    );
  });

  test('a classifier that extracts a mere mark has extracted nothing', async () => {
    const ask = async (intent_type: string, extracted_params: object) =>
      textOf(
        await (await withTasks('is it paid?')).say('x y', { classifier: () => ({ intent_type, extracted_params }) }),
      );
    expect(await ask('CREATE_TASK', { description: ' . ' })).toBe('What would you like the task to say?');
    expect(await ask('COMPLETE_TASK', { task_reference: '?' })).toBe('Which task did you mean?');
  });

  test('no classifier can confirm', async () => {
    const world = await withTasks('milk');
    await world.say('delete milk');
    await world.say('well, maybe', { classifier: () => ({ intent_type: 'CONFIRM_YES', confidence: 1 }) });
    expect(await world.descriptions()).toEqual(['milk']);
  });

  test("the sink's failure is not the user's", async () => {
    const audit = {
      decided: () => Promise.reject(new Error('down')),
      invoked: () => {
        throw new Error('down');
      },
    };
    expect(textOf(await new AgentWorld().say('todo: x', { audit }))).toBe("I've added 'x' to your tasks.");
  });
});

describe('the record', () => {
  test('has one entry for each decision, and one for each tool', async () => {
    const world = await withTasks('gym');
    await world.say('mark gym as done');
    expect(world.records).toMatchObject([
      {
        timestamp: new Date(START).toISOString(),
        user_id: 'u1',
        input_message: 'mark gym as done',
        classified_intent: 'COMPLETE_TASK',
        decision_type: 'INVOKE_TOOL',
        response_preview: "Done! 'gym' has been marked as completed.",
      },
    ]);
    expect(world.invocations.map((one) => [one.tool_name, one.success, one.intent_classification])).toEqual([
      ['list_tasks', true, 'COMPLETE_TASK'],
      ['complete_task', true, 'COMPLETE_TASK'],
    ]);
  });

  test('keeps 200 whole characters of the reply', async () => {
    const world = new AgentWorld();
    await world.say(`todo: ${'😀'.repeat(500)}`);
    expect([...(world.records[0]?.response_preview ?? '')]).toHaveLength(200);
  });
});

test('a signal that aborts ends the message with its reason, begins no other tool, and leaves one record', async () => {
  const world = await withTasks('buy milk');
  const stop = new AbortController();
  const tools = (call: ToolCall) => {
    stop.abort(new Error('shut down'));
    return world.ports.tools?.(call) as Promise<ToolResult>;
  };
  const ask = () =>
    processMessage(world.context('mark milk as done'), { ...world.ports, tools }, { signal: stop.signal });
  await expect(ask()).rejects.toThrow('shut down');
  expect(world.calls.map((call) => call.tool_name)).toEqual(['list_tasks']);
  expect(world.records).toHaveLength(1);
  // Nobody waits before it begins: nothing is read or recorded.
  await expect(ask()).rejects.toThrow('shut down');
  expect(world.records).toHaveLength(1);
});
