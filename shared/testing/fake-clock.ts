/** A clock that moves only when a test says so, and fires what falls due on the way, in order. */
import type { Timers } from '../adapters/memory/timers.ts';
import type { Clock } from '../ports/clock.ts';

interface Timer {
  readonly at: number;
  readonly work: () => void;
}

export class FakeClock implements Clock, Timers {
  #now: number;
  #timers: Timer[] = [];

  constructor(start: number | string = '2026-11-21T09:00:00.000Z') {
    this.#now = new Date(start).getTime();
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, work: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves on, letting each timer's work run to its end before the next fires. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#timers = this.#timers.filter((timer) => timer !== next);
      next.work();
      await settled();
    }
    this.#now = end;
  }

  /** Moves on without firing anything: for a process that was not running meanwhile. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** The first to fall due; of two at the same time, the one that was set first. */
  #next(end: number): Timer | undefined {
    const [first] = this.#timers.toSorted((a, b) => a.at - b.at);
    return first && first.at <= end ? first : undefined;
  }
}

/** Lets everything that needs no timer and no I/O come to its end. */
export async function settled(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
