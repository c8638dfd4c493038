/** What every adapter of the task store must do, in memory and on DynamoDB alike. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { TaskStore } from '../../shared/ports/task-store.ts';

export interface TaskStoreUnderTest {
  readonly store: TaskStore;
  /** Moves the store's clock. */
  readonly advance: (ms: number) => void;
}

const MISSING = '00000000-0000-4000-8000-00000000dead';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function taskStoreContract(name: string, make: () => Promise<TaskStoreUnderTest>): void {
  describe(name, () => {
    let it: TaskStoreUnderTest;
    let n = 0;
    /** Users of its own for each test: the suite may run on a table that others use. */
    let [alice, bob] = ['', ''];
    beforeEach(async () => {
      it = await make();
      const key = `${Date.now().toString(36)}-${process.pid}-${n++}`;
      [alice, bob] = [`alice-${key}`, `bob-${key}`];
    });

    test('lists newest first', async () => {
      for (const text of ['one', 'two', 'three']) {
        await it.store.add(alice, text);
        it.advance(1000);
      }
      const tasks = await it.store.list(alice);
      expect(tasks.map((task) => task.description)).toEqual(['three', 'two', 'one']);
      expect(tasks.every((task) => UUID.test(task.id) && !task.completed && task.completedAt === null)).toBe(true);
      expect(await it.store.list(bob)).toEqual([]);
    });

    test('changes the description and nothing else', async () => {
      const task = await it.store.add(alice, 'gym');
      expect(await it.store.update(alice, task.id, 'swim')).toEqual({ ...task, description: 'swim' });
      expect(await it.store.list(alice)).toEqual([{ ...task, description: 'swim' }]);
    });

    test('completes once, however often it is told (R2-144)', async () => {
      const task = await it.store.add(alice, 'gym');
      const completed = await it.store.complete(alice, task.id);
      expect(completed).toMatchObject({ id: task.id, completed: true });
      it.advance(60_000);
      expect(await it.store.complete(alice, task.id)).toEqual(completed);
    });

    test('deletes, also what is not there (R2-144)', async () => {
      const task = await it.store.add(alice, 'gym');
      await it.store.delete(alice, task.id);
      await it.store.delete(alice, task.id);
      await it.store.delete(alice, MISSING);
      expect(await it.store.list(alice)).toEqual([]);
    });

    test("somebody else's task is like a missing one", async () => {
      const task = await it.store.add(bob, 'secret');
      for (const id of [task.id, MISSING]) {
        expect(await it.store.update(alice, id, 'mine')).toBeUndefined();
        expect(await it.store.complete(alice, id)).toBeUndefined();
        await it.store.delete(alice, id);
      }
      expect(await it.store.list(bob)).toEqual([task]);
    });

    test('what it gave out can be changed without changing what it keeps', async () => {
      const task = await it.store.add(alice, 'gym');
      (task as { description: string }).description = 'changed';
      expect((await it.store.list(alice))[0]?.description).toBe('gym');
    });
  });
}
