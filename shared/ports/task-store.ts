/** Where tasks are kept, one user's apart from another's: no method can reach a task of somebody else. */

export interface Task {
  /** A UUID. */
  readonly id: string;
  readonly description: string;
  readonly completed: boolean;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

/** Where a task is missing or belongs to somebody else, the answer is the same: none (R2-142, R2-143). */
export interface TaskStore {
  add(userId: string, description: string): Promise<Task>;
  /** Newest first: the order in which positions and numbers count (R2-091). */
  list(userId: string): Promise<readonly Task[]>;
  update(userId: string, taskId: string, description: string): Promise<Task | undefined>;
  /** Completing a completed task changes nothing, its time included (R2-144). */
  complete(userId: string, taskId: string): Promise<Task | undefined>;
  /** A task that is not there is as good as deleted (R2-144). */
  delete(userId: string, taskId: string): Promise<void>;
}

/** The one change that a decided message makes, written together with its decision (A6). Refused if the task is another than the one read. */
export type TaskWrite =
  | { readonly kind: 'add'; readonly userId: string; readonly task: Task }
  | { readonly kind: 'change'; readonly userId: string; readonly task: Task; readonly from: Task }
  /** `shown`: the description under which the deletion was confirmed (D23). A task that is gone is as good as deleted. */
  | { readonly kind: 'delete'; readonly userId: string; readonly taskId: string; readonly shown: string };
