/** Checks the task store and its turns in memory. */
import { randomUUID } from 'node:crypto';
import { memoryTaskConversations, memoryTaskStore } from '../../shared/adapters/memory/stores/task-store.ts';
import { memoryStores } from '../../shared/adapters/memory/stores.ts';
import { taskStoreContract, taskTurnsContract } from './task-store.contract.ts';

taskStoreContract('task store in memory', async () => {
  let now = 1_800_000_000_000;
  const advance = (ms: number) => {
    now += ms;
  };
  return { store: memoryTaskStore({ clock: { now: () => now }, newId: randomUUID }), advance };
});

taskTurnsContract('task turns in memory', async () => {
  const { state, claims } = memoryStores();
  return {
    claims,
    store: memoryTaskStore({ clock: { now: () => 1_800_000_000_000 }, newId: randomUUID, state }),
    conversations: memoryTaskConversations(state),
  };
});
