/** The five tools over a `TaskStore`: what runs them inline. */
import type { Task, TaskStore } from '../ports/task-store.ts';
import { type ToolCall, type ToolErrorCode, type ToolResult, toolCall } from './tool-schemas.ts';

/**
 * The five tools over a store of tasks.
 *
 * @example
 * const run = toolsOfStore(store);
 * console.log(await processMessage(context, { clock: { now: Date.now }, audit: { decided: console.log }, tools: run }));
 */
export function toolsOfStore(store: TaskStore): (call: ToolCall) => Promise<ToolResult> {
  return async (call) => {
    const parsed = toolCall.safeParse(call);
    if (!parsed.success) return failure('VALIDATION_ERROR', 'the call does not match its schema');
    return run(store, parsed.data);
  };
}

async function run(store: TaskStore, call: ToolCall): Promise<ToolResult> {
  const user = call.parameters.user_id;
  switch (call.tool_name) {
    case 'add_task':
      return found(await store.add(user, call.parameters.description));
    case 'list_tasks':
      return success((await store.list(user)).map(taskData));
    case 'update_task':
      return found(await store.update(user, call.parameters.task_id, call.parameters.description));
    case 'complete_task':
      return found(await store.complete(user, call.parameters.task_id));
    case 'delete_task':
      await store.delete(user, call.parameters.task_id);
      return success(null);
    default:
      return call satisfies never;
  }
}

const success = (data: unknown): ToolResult => ({ success: true, data, error: null, error_code: null });
const failure = (code: ToolErrorCode, error: string): ToolResult => ({
  success: false,
  data: null,
  error,
  error_code: code,
});
const found = (task: Task | undefined): ToolResult =>
  task ? success(taskData(task)) : failure('NOT_FOUND', 'Task not found');

const taskData = (task: Task) => ({
  id: task.id,
  description: task.description,
  status: task.completed ? 'completed' : 'pending',
  created_at: task.createdAt,
  completed_at: task.completedAt,
});
