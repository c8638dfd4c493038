/** Tasks in this process's memory: for tests, examples and one-machine use. */
import type { Clock } from '../../ports/clock.ts';
import type { Task, TaskStore } from '../../ports/task-store.ts';

export interface MemoryTaskStoreOptions {
  readonly clock: Clock;
  /** A new UUID on each call. */
  readonly newId: () => string;
}

export function memoryTaskStore({ clock, newId }: MemoryTaskStoreOptions): TaskStore {
  const users = new Map<string, Task[]>();
  const now = () => new Date(clock.now()).toISOString();
  const tasksOf = (userId: string): Task[] => users.get(userId) ?? [];

  const change = (userId: string, taskId: string, changed: (task: Task) => Task): Task | undefined => {
    const tasks = tasksOf(userId);
    const at = tasks.findIndex((task) => task.id === taskId);
    const task = tasks[at];
    if (!task) return undefined;
    const next = changed(task);
    tasks[at] = next;
    return { ...next };
  };

  return {
    async add(userId, description) {
      const task: Task = { id: newId(), description, completed: false, createdAt: now(), completedAt: null };
      users.set(userId, [task, ...tasksOf(userId)]);
      return { ...task };
    },
    async list(userId) {
      return tasksOf(userId).map((task) => ({ ...task }));
    },
    async update(userId, taskId, description) {
      return change(userId, taskId, (task) => ({ ...task, description }));
    },
    async complete(userId, taskId) {
      return change(userId, taskId, (task) =>
        task.completed ? task : { ...task, completed: true, completedAt: now() },
      );
    },
    async delete(userId, taskId) {
      users.set(
        userId,
        tasksOf(userId).filter((task) => task.id !== taskId),
      );
    },
  };
}
