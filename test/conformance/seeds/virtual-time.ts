/** Simulates time that passes only when everything waits for it: no case sleeps on the wall clock. */
import { setImmediate } from 'node:timers/promises';

export class VirtualTime {
  now = 0;
  #timers: { readonly at: number; readonly fire: () => void }[] = [];

  /** The shape of `Timer` in the deadline channel. */
  readonly start = (callback: () => void, delayMs: number): (() => void) => {
    const timer = { at: this.now + delayMs, fire: callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.start(resolve, delayMs);
    });
  }

  /** Lets time pass until the work is done; throws if it waits for something that no timer brings. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const mark = () => {
      isDone = true;
    };
    work.then(mark, mark);
    for (;;) {
      await setImmediate();
      if (isDone) return work;
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (!next) throw new Error('the case waits for ever');
      this.#timers = this.#timers.filter((other) => other !== next);
      this.now = next.at;
      next.fire();
    }
  }
}
