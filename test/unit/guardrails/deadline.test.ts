/** Checks that a deadline holds, and costs no AbortController where its work reads no signal. */
import { expect, test, vi } from 'vitest';
import { type Deadline, withDeadline } from '../../../shared/guardrails/timeout.ts';
import type { Ending } from '../../../shared/ports/ending.ts';
import { type SetTimer, sleepBy } from '../../../shared/ports/timers.ts';
import { FakeRuntime } from './fake-runtime.ts';

test('the timer counts from the start of the work, and is called off when the work ends first', async () => {
  const runtime = new FakeRuntime();
  const began = runtime.now();
  expect(await runtime.run(withDeadline(() => runtime.sleep(10_000), 1_000, runtime))).toEqual({ type: 'timeout' });
  expect(runtime.now() - began).toBe(1_000);
  await runtime.run(withDeadline(async () => 'done', 60_000, runtime));
  await runtime.advance(0);
  expect(runtime.now() - began).toBe(1_000);
});

test('what blocked the process beyond its deadline is late, although it ended before its timer', async () => {
  const runtime = new FakeRuntime();
  const work = async () => runtime.jump(1_001);
  expect(await withDeadline(work, 1_000, runtime)).toEqual({ type: 'timeout' });
});

test('a signal that the work reads aborts when the deadline is over, also if it is read afterwards', async () => {
  const runtime = new FakeRuntime();
  let read: AbortSignal | undefined;
  let later: Deadline | undefined;
  const work = async (deadline: Deadline) => {
    read = deadline.signal;
    later = deadline;
    expect([deadline.aborted, read.aborted]).toEqual([false, false]);
    await runtime.sleep(10_000);
  };
  expect(await runtime.run(withDeadline(work, 1_000, runtime))).toEqual({ type: 'timeout' });
  expect([read?.aborted, later?.aborted]).toEqual([true, true]);
  const made = vi.spyOn(globalThis, 'AbortController');
  let unread: Deadline | undefined;
  const keep = async (deadline: Deadline) => {
    unread = deadline;
  };
  await withDeadline(keep, 1_000, runtime);
  expect(made).not.toHaveBeenCalled();
  made.mockRestore();
  expect(unread?.signal.aborted).toBe(true);
});

test('a caller that gives up ends the wait, and no listener stays with its signal', async () => {
  const runtime = new FakeRuntime();
  const caller = new AbortController();
  const remove = vi.spyOn(caller.signal, 'removeEventListener');
  const waiting = withDeadline(() => runtime.sleep(10_000), 5_000, runtime, caller.signal);
  void runtime.sleep(100).then(() => caller.abort());
  expect(await runtime.run(waiting)).toEqual({ type: 'cancelled' });
  expect(remove).toHaveBeenCalledOnce();
});

test('a wait that its signal ends calls its timer off; one that was over before sets none', async () => {
  const calledOff = vi.fn();
  const after = vi.fn<SetTimer>(() => calledOff);
  const over = new AbortController();
  const waiting = sleepBy(after)(1_000, over.signal);
  over.abort();
  await waiting;
  expect(calledOff).toHaveBeenCalledOnce();
  const ended: Ending = { aborted: true, addEventListener: vi.fn(), removeEventListener: vi.fn() };
  await sleepBy(after)(1_000, ended);
  expect(after).toHaveBeenCalledOnce();
});
