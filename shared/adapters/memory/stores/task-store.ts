/** Stores tasks and conversations in memory, each change with the decision on it. */
import { asStored } from '../../../contract/stored.ts';
import { endedQuestion, taskConversation } from '../../../contract/task-conversation.ts';
import type { TaskConversations, TaskTurn } from '../../../ports/stores/task-conversations.ts';
import type { Task, TaskStore, TaskWrite } from '../../../ports/stores/task-store.ts';
import { copyOf, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

/** Lists tasks. Each change of one is written with the decision on it, as `TaskTurn` says. */
export const memoryTasks = (state: MemoryState): Pick<TaskStore, 'list'> => ({
  list: async (userId) => tasksOf(state, userId).map((task) => ({ ...task })),
});

export const memoryTaskConversations = (state: MemoryState): TaskConversations => ({
  read: async (key) => conversationAt(state, key),
  endedBy: async (pid) => {
    const copy = state.endedQuestions.get(pid);
    return copy && asStored(endedQuestion).parse(copyOf(copy));
  },
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
export function writeTurn(state: MemoryState, { conversation, write, ended }: TaskTurn): void {
  if (write) writeTask(state, write);
  if (ended) state.endedQuestions.set(ended.by, toCopy(ended));
  if (conversation) state.conversations.set(conversation.key, toCopy(conversation));
}

function writeTask(state: MemoryState, write: TaskWrite): void {
  const tasks = tasksOf(state, write.userId);
  switch (write.kind) {
    case 'add':
      state.tasks.set(write.userId, [{ ...write.task }, ...tasks]);
      return;
    case 'change':
      state.tasks.set(
        write.userId,
        tasks.map((task) => (task.id === write.task.id ? { ...write.task } : task)),
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
