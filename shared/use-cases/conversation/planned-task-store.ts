/** Plans the one change of tasks of a message, to be written together with its decision. */
import { CountersignError } from '../../domain/errors.ts';
import type { Task, TaskStore, TaskWrite } from '../../ports/stores/task-store.ts';

interface PlannedTasks {
  readonly store: TaskStore;
  readonly write: () => TaskWrite | undefined;
}

interface Planning {
  readonly tasks: Pick<TaskStore, 'list'>;
  /** The owner of the tasks, by the name under which they are stored; a call's own statement of its user is not used. */
  readonly owner: string;
  readonly now: number;
  /** The same one for the same message: a message that comes twice adds one task. */
  readonly newId: string;
}

/** The tasks of this user have no room for another text. */
export class ListFullError extends CountersignError<'list_full'> {
  override readonly name = 'ListFullError';
  constructor() {
    super('list_full', 'the list of this user is full');
  }
}

/** All tasks of a user together, in characters: their list has to fit into one decision, and into what a person reads. */
const MAX_TEXT = 32 * 1024;

export function plannedTasks({ tasks, owner: userId, now, newId }: Planning): PlannedTasks {
  const at = new Date(now).toISOString();
  let read: Promise<readonly Task[]> | undefined;
  let planned: TaskWrite | undefined;
  const list = () => {
    read ??= tasks.list(userId);
    return read;
  };
  const plan = (write: TaskWrite): void => {
    if (planned) throw new Error('a message changes one task');
    planned = write;
  };
  const change = async (taskId: string, changed: (task: Task) => Task): Promise<Task | undefined> => {
    const from = (await list()).find(({ id }) => id === taskId);
    if (!from) return undefined;
    const task = changed(from);
    if (task !== from) plan({ kind: 'change', userId, task, from });
    return task;
  };
  return {
    write: () => planned,
    store: {
      list,
      async add(_, description) {
        checkRoom(await list(), description);
        const task: Task = { id: newId, description, completed: false, createdAt: at, completedAt: null };
        plan({ kind: 'add', userId, task });
        return task;
      },
      async update(_, taskId, description) {
        const others = (await list()).filter(({ id }) => id !== taskId);
        checkRoom(others, description);
        return change(taskId, (task) => ({ ...task, description }));
      },
      complete: (_, taskId) =>
        change(taskId, (task) => (task.completed ? task : { ...task, completed: true, completedAt: at })),
      async delete(_, taskId) {
        const found = (await list()).find(({ id }) => id === taskId);
        if (found) plan({ kind: 'delete', userId, taskId, shown: found.description });
      },
    },
  };
}

function checkRoom(tasks: readonly Task[], description: string): void {
  const length = tasks.reduce((sum, task) => sum + task.description.length, description.length);
  if (length > MAX_TEXT) throw new ListFullError();
}
