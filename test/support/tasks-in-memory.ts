/** Plays the task store of a program that runs the engine's tools itself. */
import { randomUUID } from 'node:crypto';
import type { Task, TaskStore } from '../../shared/ports/stores/task-store.ts';

/** @param now milliseconds since 1970 @param newId a new UUID on each call */
export function tasksInMemory(now: () => number, newId: () => string = randomUUID): TaskStore {
  const byUser = new Map<string, readonly Task[]>();
  const tasksOf = (user: string): readonly Task[] => byUser.get(user) ?? [];
  const at = (): string => new Date(now()).toISOString();
  const change = (user: string, id: string, changed: (task: Task) => Task): Task | undefined => {
    byUser.set(
      user,
      tasksOf(user).map((task) => (task.id === id ? changed(task) : task)),
    );
    return tasksOf(user).find((task) => task.id === id);
  };
  return {
    list: async (user) => tasksOf(user).map((task) => ({ ...task })),
    async add(user, description) {
      const task: Task = { id: newId(), description, completed: false, createdAt: at(), completedAt: null };
      byUser.set(user, [task, ...tasksOf(user)]);
      return { ...task };
    },
    update: async (user, id, description) => change(user, id, (task) => ({ ...task, description })),
    complete: async (user, id) =>
      change(user, id, (task) => (task.completed ? task : { ...task, completed: true, completedAt: at() })),
    async delete(user, id) {
      byUser.set(
        user,
        tasksOf(user).filter((task) => task.id !== id),
      );
    },
  };
}
