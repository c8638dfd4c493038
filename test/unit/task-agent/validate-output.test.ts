/** Checks how tool calls and decisions of the engine are validated. */
import { describe, expect, test } from 'vitest';
import { validateDecision, validateToolCall } from '../../../shared/task-agent/index.ts';
import { TASK_TOOLS } from '../../../shared/task-agent/tools/tool-definitions.ts';

const TASK = '11111111-1111-4111-8111-111111111111';
const list = (sequence: number) => ({ tool_name: 'list_tasks', parameters: { user_id: 'u1' }, sequence });

describe('a tool call', () => {
  test.each([
    ['add_task', { user_id: 'u1', description: 'x' }],
    ['list_tasks', { user_id: 'u1' }],
    ['update_task', { user_id: 'u1', task_id: TASK, description: 'x' }],
    ['complete_task', { user_id: 'u1', task_id: TASK }],
    ['delete_task', { user_id: 'u1', task_id: TASK }],
  ])('%s takes its parameters, all of them, and no others', (tool_name, parameters) => {
    expect(validateToolCall({ tool_name, parameters })).toEqual({ valid: true });
    expect(validateToolCall({ tool_name, parameters: { ...parameters, _hint: 'x' } }).valid).toBe(false);
    for (const key of Object.keys(parameters)) {
      const { [key as 'user_id']: _, ...others } = parameters;
      expect(validateToolCall({ tool_name, parameters: others }).valid).toBe(false);
    }
  });

  test('says what is wrong', () => {
    const problem = (tool_name: unknown, parameters: unknown) => validateToolCall({ tool_name, parameters });
    expect(problem('drop_table', {})).toEqual({ valid: false, problem: 'unknown_tool' });
    expect(problem('constructor', {})).toEqual({ valid: false, problem: 'unknown_tool' });
    expect(problem('delete_task', { user_id: 'u1', task_id: '7' })).toEqual({
      valid: false,
      problem: 'task_not_found',
    });
    const long = 'x'.repeat(1001);
    expect(problem('add_task', { user_id: 'u1', description: long })).toEqual({
      valid: false,
      problem: 'description_length',
    });
    expect(problem('list_tasks', null)).toEqual({ valid: false, problem: 'invalid_parameters' });
  });

  test.each([0, -1, 1.5, null, '1'])('that states its sequence as %j is refused: it is counted from 1', (sequence) => {
    expect(validateToolCall({ ...list(1), sequence })).toEqual({ valid: false, problem: 'invalid_sequence' });
    expect(validateToolCall(list(7))).toEqual({ valid: true });
  });
});

describe('a decision', () => {
  test.each([
    [{ decision_type: 'INVOKE_TOOL', tool_calls: [list(1), list(3)] }, 'invalid_sequence'],
    [{ decision_type: 'INVOKE_TOOL', tool_calls: [list(2), list(1)] }, 'invalid_sequence'],
    [{ decision_type: 'INVOKE_TOOL', tool_calls: null }, 'missing_tool_calls'],
    [{ decision_type: 'EXECUTE_PENDING' }, 'missing_tool_calls'],
    [{ decision_type: 'CANCEL_PENDING', tool_calls: [list(1)] }, 'unexpected_tool_calls'],
    [{ decision_type: 'INVOKE_TOOL', tool_calls: [{ ...list(1), tool_name: 'rm' }] }, 'unknown_tool'],
    [{ decision_type: 'RESPOND_ONLY', note: 'x' }, 'invalid_decision'],
    [{ decision_type: 'REQUEST_CONFIRMATION' }, 'missing_pending_action'],
    [null, 'invalid_decision'],
  ])('%j is refused: %s', (decision, problem) => {
    expect(validateDecision(decision)).toEqual({ valid: false, problem });
  });

  test('that fits together passes', () => {
    expect(validateDecision({ decision_type: 'INVOKE_TOOL', tool_calls: [list(1), list(2)] }).valid).toBe(true);
    const pending_action = { action_type: 'DELETE_TASK', task_id: TASK, task_description: 'x' };
    expect(validateDecision({ decision_type: 'REQUEST_CONFIRMATION', pending_action }).valid).toBe(true);
  });
});

test('the five tools have schemas for the gate, and only deletion is confirmed', () => {
  expect(TASK_TOOLS.map((tool) => [tool.name, tool.confirmation])).toEqual([
    ['add_task', 'none'],
    ['list_tasks', 'none'],
    ['update_task', 'none'],
    ['complete_task', 'none'],
    ['delete_task', 'requester'],
  ]);
  const add = TASK_TOOLS[0]?.inputSchema;
  expect(add).toMatchObject({ required: ['user_id', 'description'], additionalProperties: false });
  expect(add).toMatchObject({ properties: { description: { minLength: 1, maxLength: 1000 } } });
});
