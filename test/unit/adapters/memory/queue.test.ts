/**
 * Checks the memory queue: at least once, in batches, dead letters after five receipts.
 *
 * A message that fails comes back.
 */
import { expect, test } from 'vitest';
import { MemoryQueue, type Worked } from '../../../../shared/adapters/memory/queues/queue.ts';
import { FakeClock, runMicrotasks } from '../../../../shared/testing/fake-clock.ts';

function queueOf(work: (batch: readonly number[]) => Promise<readonly Worked[]>, batchSize = 10) {
  const clock = new FakeClock();
  return { clock, queue: new MemoryQueue<number>({ timers: clock, batchSize, work }) };
}
const done = async (batch: readonly number[]) => batch.map((): Worked => ({ ok: true }));

test('what is sent together comes together, in order, up to the size of a batch', async () => {
  const batches: number[][] = [];
  const { queue } = queueOf(async (batch) => {
    batches.push([...batch]);
    return done(batch);
  }, 3);
  for (const n of [1, 2, 3, 4]) queue.send(n);
  await runMicrotasks();
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test('a message is delivered whenever it is sent, also while a batch is being finished', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const seen: number[] = [];
    const { queue } = queueOf(async (batch) => {
      seen.push(...batch);
      return done(batch);
    });
    queue.send(1);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    queue.send(2);
    await runMicrotasks();
    expect(seen, `${turns} turns later`).toEqual([1, 2]);
  }
});

test('what fails comes again after the visibility time-out, alone, and ends in the dead letters', async () => {
  const seen: number[] = [];
  const { clock, queue } = queueOf(async (batch) => {
    seen.push(...batch);
    return batch.map((n): Worked => ({ ok: n !== 2 }));
  });
  for (const n of [1, 2, 3]) queue.send(n);
  await clock.advance(59_999);
  expect(seen).toEqual([1, 2, 3]);
  await clock.advance(1);
  expect(seen).toEqual([1, 2, 3, 2]);
  await clock.advance(10 * 60_000);
  expect(seen.filter((n) => n === 2)).toHaveLength(5);
  expect(queue.deadLetters).toEqual([2]);
});

test('a worker that throws fails the whole batch', async () => {
  let fails = true;
  const seen: number[] = [];
  const { clock, queue } = queueOf(async (batch) => {
    if (fails) throw new Error('down');
    seen.push(...batch);
    return done(batch);
  });
  queue.send(1);
  queue.send(2);
  await runMicrotasks();
  fails = false;
  await clock.advance(60_000);
  expect(seen).toEqual([1, 2]);
});

test('nothing is delivered after a stop', async () => {
  const seen: number[] = [];
  const { clock, queue } = queueOf(async (batch) => {
    seen.push(...batch);
    return batch.map((): Worked => ({ ok: false }));
  });
  queue.send(1);
  await runMicrotasks();
  queue.stop();
  queue.send(2);
  await clock.advance(10 * 60_000);
  expect(seen).toEqual([1]);
});
