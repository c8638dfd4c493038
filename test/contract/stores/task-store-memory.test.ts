/** Checks the task store and its turns in memory. */
import { memoryStores } from '../../../shared/adapters/memory/stores.ts';
import { tasksInMemory } from '../../support/tasks-in-memory.ts';
import { storedTasks } from '../support/stored-tasks.ts';
import { taskStoreContract, taskTurnsContract } from './task-store.contract.ts';

let now = 1_800_000_000_000;
const advance = (ms: number) => {
  now += ms;
};

taskStoreContract('tasks in memory', async () => ({
  store: storedTasks({ ...memoryStores(), now: () => now }),
  advance,
}));

taskStoreContract('tasks of a program', async () => ({ store: tasksInMemory(() => now), advance }));

taskTurnsContract('task turns in memory', async () => {
  const { claims, tasks, conversations } = memoryStores();
  return { claims, store: storedTasks({ claims, tasks, now: () => now }), conversations };
});
