/** Tells work that its time is over. */
import type { Ending } from '../../ports/ending.ts';

/** Why signals abort: one object, since making an error for every call that ends well is what such a call would pay most for. */
const OVER = new Error('the attempt is over');

const NONE: (() => void)[] = [];

/**
 * The end of one deadline, as its work hears of it. An AbortController with its events costs more than all else of a short call: one is made
 * for work that reads `signal`, and for no other.
 */
export class Deadline implements Ending {
  #isOver = false;
  #listeners: (() => void)[] = NONE;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#isOver;
  }

  /** For work that hands it to others: aborts once the deadline, or the work, is over. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(OVER);
    return this.#controller.signal;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    // Empty once the deadline is over, which is when most are taken away.
    if (this.#listeners.length > 0) this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  end(): void {
    this.#isOver = true;
    const listeners = this.#listeners;
    this.#listeners = NONE;
    for (const listener of listeners) listener();
    this.#controller?.abort(OVER);
  }
}
