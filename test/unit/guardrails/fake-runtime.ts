/** Simulates a world whose time moves only when nothing else can: no test waits for a real clock. */
import type { MaybePromise } from '../../../shared/domain/maybe-promise.ts';
import type { Ending } from '../../../shared/ports/ending.ts';
import type { GuardrailRuntime } from '../../../shared/ports/guardrail-runtime.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Lets all promise callbacks run; the fake clock stands still meanwhile. */
const runMicrotasks = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

export class FakeRuntime implements GuardrailRuntime {
  #now: number;
  #order = 0;
  #ids = 0;
  #timers: Timer[] = [];
  readonly slept: number[] = [];
  random: () => number = () => 0.5;

  constructor(now = 1_800_000_000_000) {
    // A multiple of a day, so that budget windows begin with the test.
    this.#now = Math.floor(now / 86_400_000) * 86_400_000;
  }

  readonly now = (): number => this.#now;
  readonly newId = (): string => `id-${++this.#ids}`;

  readonly sleep = (ms: number, signal?: Ending): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer: Timer = { at: this.#now + ms, order: this.#order++, wake: () => done() };
      const done = () => {
        signal?.removeEventListener('abort', done);
        this.#timers = this.#timers.filter((other) => other !== timer);
        resolve();
      };
      signal?.addEventListener('abort', done, { once: true });
      this.#timers.push(timer);
    });

  /** Runs until the promise is resolved or rejected, moving time from timer to timer. Throws if no timer is left that could end it. */
  async run<T>(running: MaybePromise<T>): Promise<T> {
    const promise = Promise.resolve(running);
    let isDone = false;
    const mark = () => {
      isDone = true;
    };
    promise.then(mark, mark);
    for (;;) {
      await runMicrotasks();
      if (isDone) return promise;
      const next = this.#next();
      if (!next) throw new Error('nothing left to wait for: the promise would hang');
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }

  /** Moves time, waking what falls due on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await runMicrotasks();
      const next = this.#next();
      if (!next || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
    await runMicrotasks();
  }

  /** Moves time without waking anybody, as for a process that was frozen. */
  jump(ms: number): void {
    this.#now += ms;
  }

  #next(): Timer | undefined {
    return this.#timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}
