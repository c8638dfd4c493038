/** Checks every adapter of the task store, in memory and on DynamoDB alike. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TaskConversation } from '../../../shared/contract/task-conversation.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import type { ClaimStore } from '../../../shared/ports/stores/claim-store.ts';
import type { TaskConversations, TaskTurn } from '../../../shared/ports/stores/task-conversations.ts';
import type { Task, TaskStore } from '../../../shared/ports/stores/task-store.ts';
import { at, claimOf, newCase } from '../support/rows.ts';

interface TaskStoreUnderTest {
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

interface TurnsUnderTest {
  readonly claims: ClaimStore;
  readonly store: TaskStore;
  readonly conversations: TaskConversations;
}

/** A decision on a message, what it changes in the conversation and the one task that it changes are written together or not at all. */
export function taskTurnsContract(name: string, make: () => Promise<TurnsUnderTest>): void {
  describe(name, () => {
    let it: TurnsUnderTest;
    let user = '';
    beforeEach(async () => {
      it = await make();
      user = `user-${randomUUID()}`;
    });

    const task = (description: string, id: string = randomUUID()): Task => ({
      id,
      description,
      completed: false,
      createdAt: at(0),
      completedAt: null,
    });
    const conversation = (version: number, key: string): TaskConversation => ({
      key,
      version,
      pending: {
        confirmation: {
          action_type: 'DELETE_TASK',
          task_id: randomUUID(),
          task_description: 'gym',
          created_at: at(0),
          expires_at: at(300_000),
        },
        askedBy: sha256Hex(key),
      },
      history: [{ role: 'user', content: 'delete gym', timestamp: at(0) }],
      updatedAt: at(0),
    });
    const decide = (turn: TaskTurn, about = newCase()) =>
      it.claims.claim(claimOf(about, 'allow'), { rows: [], turn }).then(({ kind }) => kind);

    test('a turn is written once, however often its message comes', async () => {
      const about = newCase();
      const turn: TaskTurn = { write: { kind: 'add', userId: user, task: task('gym') } };
      expect(await decide(turn, about)).toBe('claimed');
      expect(await decide(turn, about)).toBe('exists');
      expect(await decide({ write: { kind: 'add', userId: user, task: task('again') } }, about)).toBe('exists');
      expect((await it.store.list(user)).map(({ description }) => description)).toEqual(['gym']);
    });

    test('a conversation that somebody else changed refuses the whole turn', async () => {
      const key = sha256Hex(user);
      const first = conversation(1, key);
      expect(await it.conversations.read(key)).toBeUndefined();
      expect(await decide({ conversation: first })).toBe('claimed');
      expect(await it.conversations.read(key)).toEqual(first);
      const late: TaskTurn = {
        conversation: conversation(1, key),
        write: { kind: 'add', userId: user, task: task('gym') },
      };
      expect(await decide(late)).toBe('session_changed');
      expect(await it.store.list(user)).toEqual([]);
      expect(await decide({ ...late, conversation: { key, version: 2, updatedAt: at(1) } })).toBe('claimed');
      expect(await it.conversations.read(key)).toEqual({ key, version: 2, updatedAt: at(1) });
    });

    test('the question that a turn ends is found by its message, if the turn was written', async () => {
      const about = newCase();
      const ended = { by: about.pid, askedBy: sha256Hex(user), text: 'You said yes.', at: at(0) };
      const userId = user;
      const task = await it.store.add(user, 'gym');
      const lost = { kind: 'delete' as const, userId, taskId: task.id, shown: 'swim' };
      expect(await decide({ ended, write: lost }, about)).toBe('session_changed');
      expect(await it.conversations.endedBy(about.pid)).toBeUndefined();
      expect(await decide({ ended }, about)).toBe('claimed');
      expect(await it.conversations.endedBy(about.pid)).toEqual(ended);
      expect(await it.conversations.endedBy(ended.askedBy)).toBeUndefined();
      expect(await decide({ ended: { ...ended, text: 'You said no.' } }, about)).toBe('exists');
      expect(await it.conversations.endedBy(about.pid)).toEqual(ended);
    });

    test('a task that is another than the one read is not changed', async () => {
      const read = await it.store.add(user, 'gym');
      const changed = { ...read, description: 'swim' };
      const turn: TaskTurn = { write: { kind: 'change', userId: user, task: changed, from: read } };
      await it.store.update(user, read.id, 'run');
      expect(await decide(turn)).toBe('session_changed');
      await it.store.update(user, read.id, 'gym');
      expect(await decide(turn)).toBe('claimed');
      expect(await it.store.list(user)).toEqual([changed]);
      await it.store.delete(user, read.id);
      expect(await decide({ write: { kind: 'change', userId: user, task: read, from: changed } })).toBe(
        'session_changed',
      );
    });

    test('what is deleted is what was shown, and what is gone is as good as deleted', async () => {
      const { id: taskId } = await it.store.add(user, 'gym');
      const remove = (shown: string) => decide({ write: { kind: 'delete', userId: user, taskId, shown } });
      expect(await remove('swim')).toBe('session_changed');
      expect(await it.store.list(user)).toHaveLength(1);
      expect(await remove('gym')).toBe('claimed');
      expect(await remove('gym')).toBe('claimed');
      expect(await it.store.list(user)).toEqual([]);
    });
  });
}
