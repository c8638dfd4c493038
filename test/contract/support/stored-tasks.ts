/** Changes tasks as the gate does: each change is planned, and written with the claim of a decision. */
import { randomUUID } from 'node:crypto';
import type { ClaimStore } from '../../../shared/ports/stores/claim-store.ts';
import type { TaskStore } from '../../../shared/ports/stores/task-store.ts';
import { plannedTasks } from '../../../shared/use-cases/conversation/planned-task-store.ts';
import { claimOf, newCase } from './rows.ts';

interface StoredTasks {
  readonly claims: ClaimStore;
  readonly tasks: Pick<TaskStore, 'list'>;
  readonly now: () => number;
}

/** Throws where a task is another one by the time it is written. */
export function storedTasks({ claims, tasks, now }: StoredTasks): TaskStore {
  const turn = async <Result>(owner: string, act: (store: TaskStore) => Promise<Result>): Promise<Result> => {
    const { store, write } = plannedTasks({ tasks, owner, now: now(), newId: randomUUID() });
    const result = await act(store);
    const planned = write();
    if (!planned) return result;
    const { kind } = await claims.claim(claimOf(newCase(), 'allow'), { rows: [], turn: { write: planned } });
    if (kind !== 'claimed') throw new Error(kind);
    return result;
  };
  return {
    list: (user) => tasks.list(user),
    add: (user, description) => turn(user, (store) => store.add(user, description)),
    update: (user, id, description) => turn(user, (store) => store.update(user, id, description)),
    complete: (user, id) => turn(user, (store) => store.complete(user, id)),
    delete: (user, id) => turn(user, (store) => store.delete(user, id)),
  };
}
