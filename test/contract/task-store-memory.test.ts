/** The task store in memory. */
import { randomUUID } from 'node:crypto';
import { memoryTaskStore } from '../../shared/adapters/memory/task-store.ts';
import { taskStoreContract } from './task-store.contract.ts';

taskStoreContract('task store in memory', async () => {
  let now = 1_800_000_000_000;
  const advance = (ms: number) => {
    now += ms;
  };
  return { store: memoryTaskStore({ clock: { now: () => now }, newId: randomUUID }), advance };
});
