/**
 * Checks the FIFO queue in memory: a group in order, one message at a time, groups side by side.
 *
 * A hidden message holds its group.
 */
import { expect, test } from 'vitest';
import { MemoryFifoQueue } from '../../../../shared/adapters/memory/queues/fifo-queue.ts';
import { FakeClock } from '../../../../shared/testing/fake-clock.ts';

function queueOf(work: (message: string, received: number) => Promise<number | undefined>, concurrency = 10) {
  const clock = new FakeClock();
  return { clock, queue: new MemoryFifoQueue<string>({ timers: clock, concurrency, visibilityMs: 30_000, work }) };
}

test('a hidden message holds its group, and no other', async () => {
  const seen: string[] = [];
  const { clock, queue } = queueOf(async (message, received) => {
    seen.push(`${message} ${received}`);
    return message === 'a1' && received === 1 ? 5_000 : undefined;
  });
  for (const message of ['a1', 'a2', 'b1', 'b2']) queue.send(message, message[0] ?? '');
  await clock.advance(4_999);
  expect(seen).toEqual(['a1 1', 'b1 1', 'b2 1']);
  expect(queue.isIdle).toBe(false);
  await clock.advance(1);
  expect(seen.slice(3)).toEqual(['a1 2', 'a2 1']);
  expect(queue.isIdle).toBe(true);
});

test('at most so many groups are worked at once, and the others after them', async () => {
  let running = 0;
  let most = 0;
  const done: string[] = [];
  const { clock, queue } = queueOf(async (message) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => clock.after(1_000, resolve));
    running -= 1;
    done.push(message);
    return undefined;
  }, 2);
  for (const message of ['a', 'b', 'c', 'd', 'e']) queue.send(message, message);
  await clock.advance(3_000);
  expect(most).toBe(2);
  expect(done).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a worker that throws has its message again after the visibility time-out, as often as it takes', async () => {
  const received: number[] = [];
  const { clock, queue } = queueOf(async (_, count) => {
    received.push(count);
    if (count < 40) throw new Error('down');
    return undefined;
  });
  queue.send('a', 'a');
  await clock.advance(39 * 30_000);
  expect(received).toHaveLength(40);
  expect(queue.isIdle).toBe(true);
});

test('once stopped it delivers nothing', async () => {
  const seen: string[] = [];
  const { clock, queue } = queueOf(async (message) => {
    seen.push(message);
    return 1_000;
  });
  queue.send('a', 'a');
  await clock.advance(0);
  queue.stop();
  queue.send('b', 'b');
  await clock.advance(60_000);
  expect(seen).toEqual(['a']);
});
