/** Moves time only when a test says so, and fires what falls due on the way, in order. */
import { unfit } from '../domain/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Timers } from '../ports/timers.ts';

interface Timer {
  readonly at: number;
  /** The timer that was set first fires first of two at the same time. */
  readonly order: number;
  readonly work: () => void;
  isCalledOff: boolean;
}

/** A clock and its timers that stand still until the test advances them. */
export class FakeClock implements Clock, Timers {
  #now: number;
  #order = 0;
  /** A binary heap, the first to fall due on top: a world of ten thousand approvals waits on as many timers. */
  readonly #heap: Timer[] = [];

  constructor(start: number | string = '2026-11-21T09:00:00.000Z') {
    this.#now = new Date(start ?? Number.NaN).getTime();
    if (Number.isNaN(this.#now)) throw unfit(start, 'start', 'a time');
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, work: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, work, isCalledOff: false };
    this.#push(timer);
    return () => {
      timer.isCalledOff = true;
    };
  }

  /** Moves on, letting each timer's work run to its end before the next fires. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (let next = this.#takeDue(end); next; next = this.#takeDue(end)) {
      this.#now = Math.max(this.#now, next.at);
      next.work();
      await this.settle();
    }
    this.#now = end;
  }

  /** Lets the work of a timer come to its end, with whatever needs no timer and no I/O. The clock of other work may wait otherwise. */
  protected settle(): Promise<void> {
    return runMicrotasks();
  }

  /** Moves on without firing anything: for a process that was not running meanwhile. */
  jump(ms: number): void {
    this.#now += ms;
  }

  #takeDue(end: number): Timer | undefined {
    for (let top = this.#heap[0]; top && (top.isCalledOff || top.at <= end); top = this.#heap[0]) {
      this.#pop();
      if (!top.isCalledOff) return top;
    }
    return undefined;
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let child = heap.push(timer) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!isBefore(heap[child], heap[parent])) return;
      swap(heap, child, parent);
      child = parent;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2];
      const child = right < heap.length && isBefore(heap[right], heap[left]) ? right : left;
      if (child >= heap.length || !isBefore(heap[child], heap[parent])) return;
      swap(heap, child, parent);
      parent = child;
    }
  }
}

function isBefore(a: Timer | undefined, b: Timer | undefined): boolean {
  if (!a || !b) return false;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function swap(heap: Timer[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (!first || !second) return;
  heap[a] = second;
  heap[b] = first;
}

/** Lets everything that needs no timer and no I/O come to its end. */
export async function runMicrotasks(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
