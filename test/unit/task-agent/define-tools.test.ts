/**
 * Checks tools as typed functions.
 *
 * Answers of tools are checked where they are given, and a fault names its field.
 */
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type AgentDecision,
  defineTools,
  InvalidToolResultError,
  type PendingAction,
  processMessage,
  type TaskRow,
  type TaskTools,
  type ToolCall,
  type ToolResults,
} from '../../../shared/task-agent/index.ts';
import { AgentWorld } from './agent-world.ts';

const TASK = '11111111-1111-4111-8111-111111111111';
const row: TaskRow = { id: TASK, description: 'milk', status: 'pending' };
const tools: TaskTools = {
  add_task: ({ description }) => ({ success: true, data: { ...row, description } }),
  list_tasks: async () => ({ success: true, data: [row] }),
  update_task: () => ({ success: false, error_code: 'NOT_FOUND' }),
  complete_task: () => ({ success: true, data: { ...row, completed: true } }),
  delete_task: () => ({ success: true, data: null }),
};
const listCall: ToolCall = { tool_name: 'list_tasks', parameters: { user_id: 'u1' }, sequence: 1 };

describe('typed tools', () => {
  test('answer the calls of a turn', async () => {
    const world = new AgentWorld();
    const say = (message: string) => world.say(message, { tools: defineTools(tools) });
    expect((await say('show my tasks')).response_text).toContain('1. [ ] milk');
    expect((await say('mark milk as done')).response_text).toContain('milk');
    expect(await defineTools(tools)({ ...listCall, tool_name: 'dance' } as never)).toMatchObject({
      success: false,
      error_code: 'VALIDATION_ERROR',
    });
  });

  test.each<[string, Partial<Record<keyof TaskTools, unknown>>, string]>([
    ['an object for the rows', { list_tasks: { tasks: [row] } }, 'data'],
    ['a row without a description', { list_tasks: [row, { id: TASK }] }, 'data.1.description'],
    ['a status of another kind', { list_tasks: [{ ...row, status: 'open' }] }, 'data.0.status'],
    ['nothing', { list_tasks: undefined }, 'data'],
  ])('that answer %s are refused by the name of the field', async (_name, data, field) => {
    const wrong = { ...tools, list_tasks: () => ({ success: true, data: data.list_tasks }) } as unknown as TaskTools;
    const error = await defineTools(wrong)(listCall).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidToolResultError);
    expect(error).toMatchObject({ code: 'invalid_tool_result', tool: 'list_tasks', field });
    expect((error as Error).message).toContain(`list_tasks: ${field}: `);
  });

  test.each([
    ['add_task', { user_id: 'u1', description: 'x' }],
    ['update_task', { user_id: 'u1', task_id: TASK, description: 'x' }],
    ['complete_task', { user_id: 'u1', task_id: TASK }],
    ['delete_task', { user_id: 'u1', task_id: TASK }],
  ] as const)('%s is checked as the list is', async (name, parameters) => {
    const wrong = { ...tools, [name]: () => ({ success: true, data: 7 }) } as unknown as TaskTools;
    const call = { tool_name: name, parameters, sequence: 1 } as ToolCall;
    await expect(defineTools(wrong)(call)).rejects.toMatchObject({ tool: name, field: 'data' });
  });
});

describe('a runner whose answer cannot be read', () => {
  test.each<[string, unknown, string]>([
    ['rows in an object', { success: true, data: { tasks: [row] } }, 'list_tasks: data: '],
    ['a row without an id', { success: true, data: [{ description: 'milk' }] }, 'list_tasks: data.0.id: '],
    ['no success', { data: [] }, 'list_tasks: success: '],
    ['nothing', undefined, 'list_tasks: the answer: '],
  ])('leaves the field in the record of the call: %s', async (_name, answer, problem) => {
    const world = new AgentWorld();
    const decision = await world.say('show my tasks', { tools: (async () => answer) as never });
    expect(decision.response_text).toBe("Sorry, I wasn't able to list your tasks. Please try again.");
    expect(world.invocations).toEqual([
      expect.objectContaining({ success: false, error_message: expect.stringContaining(problem) }),
    ]);
  });
});

test.each([Number.NaN, -1, '1 hour', 'soon'])(
  'a time-out of %s is refused before anything is recorded',
  async (timeout) => {
    const world = new AgentWorld();
    await expect(
      processMessage(world.context('hello'), { ...world.ports, timeout: timeout as never }),
    ).rejects.toMatchObject({ code: 'invalid_setting', setting: 'timeout' });
    expect(world.records).toEqual([]);
  },
);

test('types tell the fields of each kind of decision, and the data of each tool', () => {
  type Of<Type extends AgentDecision['decision_type']> = Extract<AgentDecision, { decision_type: Type }>;
  expectTypeOf<Of<'ASK_CLARIFICATION'>['clarification_question']>().toEqualTypeOf<string>();
  expectTypeOf<Of<'ASK_CLARIFICATION'>['response_text']>().toEqualTypeOf<null>();
  expectTypeOf<Of<'REQUEST_CONFIRMATION'>['pending_action']>().toEqualTypeOf<PendingAction>();
  expectTypeOf<AgentDecision['response_text']>().toEqualTypeOf<string | null>();
  expectTypeOf<ToolResults['list_tasks']>().toEqualTypeOf<readonly TaskRow[]>();
  // @ts-expect-error the rows are the data themselves
  const wrong: TaskTools = { ...tools, list_tasks: () => ({ success: true, data: { tasks: [row] } }) };
  expect(wrong.list_tasks).not.toBe(tools.list_tasks);
});
