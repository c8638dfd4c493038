/** Checks that a deadline holds, and costs no AbortController where its work reads no signal. */
import { describe, expect, test, vi } from 'vitest';
import type { Deadline } from '../../../../shared/guardrails/time/deadline.ts';
import { TimeLimit, withDeadline } from '../../../../shared/guardrails/time/timeout.ts';
import type { Ending } from '../../../../shared/ports/ending.ts';
import { type SetTimer, sleepBy } from '../../../../shared/ports/timers.ts';
import { FakeRuntime } from '../fake-runtime.ts';

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

describe('one limit for several pieces of work', () => {
  const setUp = (ms = 1_000) => {
    const runtime = new FakeRuntime();
    const sleep = vi.spyOn(runtime, 'sleep');
    const caller = new AbortController();
    return { runtime, sleep, caller, limit: new TimeLimit(ms, runtime, caller.signal) };
  };

  test('takes one timer, which ends whichever piece then runs', async () => {
    const { runtime, sleep, limit } = setUp();
    const began = runtime.now();
    expect(await runtime.run(limit.run(() => runtime.sleep(600), 1_000))).toMatchObject({ type: 'done' });
    sleep.mockClear();
    expect(await runtime.run(limit.run(() => new Promise(() => {}), 400))).toEqual({ type: 'timeout' });
    expect(sleep).not.toHaveBeenCalled();
    expect(runtime.now() - began).toBe(1_000);
  });

  test('a piece that may take less than is left has a timer of its own', async () => {
    const { runtime, limit } = setUp();
    const began = runtime.now();
    expect(await runtime.run(limit.run(() => new Promise(() => {}), 300))).toEqual({ type: 'timeout' });
    expect(runtime.now() - began).toBe(300);
    expect(await runtime.run(limit.run(async () => 'more', 700))).toEqual({ type: 'done', value: 'more' });
  });

  test.each([
    ['time', 'timeout'],
    ['caller', 'cancelled'],
  ] as const)('no piece begins once the %s has ended, whatever it is given', async (which, type) => {
    const { runtime, caller, limit } = setUp();
    await runtime.run(limit.run(async () => 'first', 1_000));
    if (which === 'caller') caller.abort();
    else await runtime.advance(1_000);
    const work = vi.fn(async () => 'late');
    expect(await limit.run(work, 500)).toEqual({ type });
    expect(work).not.toHaveBeenCalled();
  });

  test('a limit that is called off leaves no timer, and no listener with the caller', async () => {
    const { runtime, caller, limit } = setUp();
    const remove = vi.spyOn(caller.signal, 'removeEventListener');
    await runtime.run(limit.run(async () => 'done', 1_000));
    limit.stop();
    limit.stop();
    expect(remove).toHaveBeenCalledOnce();
    await expect(runtime.run(new Promise(() => {}))).rejects.toThrow('nothing left to wait for');
  });
});
