/** Stores tasks, one user's apart from another's: no method reaches a task of somebody else. */

/** One task of a user. */
export interface Task {
  /** A UUID. */
  readonly id: string;
  readonly description: string;
  readonly completed: boolean;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

/** Where a task is missing or belongs to somebody else, the answer is the same: none. */
export interface TaskStore {
  add(userId: string, description: string): Promise<Task>;
  /** Newest first: the order in which positions and numbers count. */
  list(userId: string): Promise<readonly Task[]>;
  update(userId: string, taskId: string, description: string): Promise<Task | undefined>;
  /** Completing a completed task changes nothing, its time included. */
  complete(userId: string, taskId: string): Promise<Task | undefined>;
  /** A task that is not there is as good as deleted. */
  delete(userId: string, taskId: string): Promise<void>;
}

/** The one change that a decided message makes, written together with its decision. Refused if the task is another than the one read. */
export type TaskWrite =
  | { readonly kind: 'add'; readonly userId: string; readonly task: Task }
  | { readonly kind: 'change'; readonly userId: string; readonly task: Task; readonly from: Task }
  /** `shown`: the description under which the deletion was confirmed. A task that is gone is as good as deleted. */
  | { readonly kind: 'delete'; readonly userId: string; readonly taskId: string; readonly shown: string };
