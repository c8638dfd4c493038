/** Stores tasks and conversations in memory: for tests, examples and one-machine use. */
import { asStored } from '../../../contract/stored.ts';
import { taskConversation } from '../../../contract/task-conversation.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { TaskConversations, TaskTurn } from '../../../ports/stores/task-conversations.ts';
import type { Task, TaskStore, TaskWrite } from '../../../ports/stores/task-store.ts';
import { copyOf, toCopy } from './json-copy.ts';
import { MemoryState } from './state.ts';

export interface MemoryTaskStoreOptions {
  readonly clock: Clock;
  /** A new UUID on each call. */
  readonly newId: () => string;
  /** The gate's own memory. Default: one of its own. */
  readonly state?: MemoryState;
}

export function memoryTaskStore({ clock, newId, state = new MemoryState() }: MemoryTaskStoreOptions): TaskStore {
  const now = () => new Date(clock.now()).toISOString();
  const change = (userId: string, taskId: string, changed: (task: Task) => Task): Task | undefined => {
    const from = tasksOf(state, userId).find((task) => task.id === taskId);
    if (!from) return undefined;
    const task = changed(from);
    writeTask(state, { kind: 'change', userId, task, from });
    return { ...task };
  };
  return {
    async add(userId, description) {
      const task: Task = { id: newId(), description, completed: false, createdAt: now(), completedAt: null };
      writeTask(state, { kind: 'add', userId, task });
      return { ...task };
    },
    ...memoryTasks(state),
    async update(userId, taskId, description) {
      return change(userId, taskId, (task) => ({ ...task, description }));
    },
    async complete(userId, taskId) {
      return change(userId, taskId, (task) =>
        task.completed ? task : { ...task, completed: true, completedAt: now() },
      );
    },
    async delete(userId, taskId) {
      writeTask(state, { kind: 'delete', userId, taskId, shown: '' });
    },
  };
}

/** For whoever writes tasks with the decision on them. */
export const memoryTasks = (state: MemoryState): Pick<TaskStore, 'list'> => ({
  list: async (userId) => tasksOf(state, userId).map((task) => ({ ...task })),
});

export const memoryTaskConversations = (state: MemoryState): TaskConversations => ({
  read: async (key) => conversationAt(state, key),
});

const tasksOf = (state: MemoryState, userId: string): readonly Task[] => state.tasks.get(userId) ?? [];

function conversationAt(state: MemoryState, key: string) {
  const copy = state.conversations.get(key);
  return copy && asStored(taskConversation).parse(copyOf(copy));
}

/** Whether what the turn was decided with still holds. */
export function turnFits(state: MemoryState, { conversation, write }: TaskTurn): boolean {
  const isCurrent =
    !conversation || (conversationAt(state, conversation.key)?.version ?? 0) === conversation.version - 1;
  return isCurrent && (!write || writeFits(state, write));
}

function writeFits(state: MemoryState, write: TaskWrite): boolean {
  const id = write.kind === 'delete' ? write.taskId : write.task.id;
  const stored = tasksOf(state, write.userId).find((task) => task.id === id);
  switch (write.kind) {
    case 'add':
      return stored === undefined;
    case 'change':
      return stored?.description === write.from.description && stored.completed === write.from.completed;
    case 'delete':
      return stored === undefined || stored.description === write.shown;
    default:
      return write satisfies never;
  }
}

/** To be called in the same turn as `turnFits`. */
export function writeTurn(state: MemoryState, { conversation, write }: TaskTurn): void {
  if (write) writeTask(state, write);
  if (conversation) state.conversations.set(conversation.key, toCopy(conversation));
}

function writeTask(state: MemoryState, write: TaskWrite): void {
  const tasks = tasksOf(state, write.userId);
  switch (write.kind) {
    case 'add':
      state.tasks.set(write.userId, [write.task, ...tasks]);
      return;
    case 'change':
      state.tasks.set(
        write.userId,
        tasks.map((task) => (task.id === write.task.id ? write.task : task)),
      );
      return;
    case 'delete':
      state.tasks.set(
        write.userId,
        tasks.filter((task) => task.id !== write.taskId),
      );
      return;
    default:
      write satisfies never;
  }
}
