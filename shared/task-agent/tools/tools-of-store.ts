/** Runs the five tools inline over a `TaskStore`. */
import { having } from '../../domain/settings.ts';
import type { Task, TaskStore } from '../../ports/stores/task-store.ts';
import { defineTools, type ToolAnswer } from './define-tools.ts';
import type { TaskRow, ToolCall, ToolResult } from './tool-schemas.ts';

/**
 * The five tools over a store of tasks.
 *
 * @example
 * const tools = toolsOfStore(store);
 * console.log(await processMessage(context, { clock: { now: Date.now }, audit: { decided: console.log }, tools }));
 */
export function toolsOfStore(store: TaskStore): (call: ToolCall) => Promise<ToolResult> {
  having('add', 'list', 'update', 'complete', 'delete')(store, 'store');
  return defineTools({
    add_task: async ({ user_id, description }) => found(await store.add(user_id, description)),
    list_tasks: async ({ user_id }) => ({ success: true, data: (await store.list(user_id)).map(rowOf) }),
    update_task: async ({ user_id, task_id, description }) => found(await store.update(user_id, task_id, description)),
    complete_task: async ({ user_id, task_id }) => found(await store.complete(user_id, task_id)),
    delete_task: async ({ user_id, task_id }) => {
      await store.delete(user_id, task_id);
      return { success: true, data: null };
    },
  });
}

const found = (task: Task | undefined): ToolAnswer<'add_task'> =>
  task ? { success: true, data: rowOf(task) } : { success: false, error_code: 'NOT_FOUND', error: 'Task not found' };

const rowOf = (task: Task): TaskRow => ({
  id: task.id,
  description: task.description,
  status: task.completed ? 'completed' : 'pending',
  created_at: task.createdAt,
  completed_at: task.completedAt,
});
