/** A hard deadline around one piece of work: whatever it does, the caller goes on in time. */
import type { Ending } from '../ports/ending.ts';
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';

/** Why signals abort: one object, since making an error for every call that ends well is what such a call would pay most for. */
const OVER = new Error('the attempt is over');

export type DeadlineResult<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'timeout' }
  | { readonly type: 'cancelled' };

const TIMEOUT = { type: 'timeout' } as const;
const CANCELLED = { type: 'cancelled' } as const;

/**
 * The end of one deadline, as its work hears of it. An AbortController with its events costs more than all else of a short call: one is made
 * for work that reads `signal`, and for no other.
 */
export class Deadline implements Ending {
  #isOver = false;
  #listeners: (() => void)[] = [];
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
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    // Empty once the deadline is over, which is when most are taken away.
    if (this.#listeners.length > 0) this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  end(): void {
    this.#isOver = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
    this.#controller?.abort(OVER);
  }
}

/**
 * Runs `work` with a deadline that ends in time, with the work or with the caller's signal. A later result is discarded,
 * also one that is late because the work blocked the process.
 */
export function withDeadline<T>(
  work: (deadline: Deadline) => Promise<T>,
  ms: number,
  runtime: GuardrailRuntime,
  caller?: AbortSignal,
): Promise<DeadlineResult<T>> {
  if (caller?.aborted) return Promise.resolve(CANCELLED);
  if (ms <= 0) return Promise.resolve(TIMEOUT);
  const startedAt = runtime.now();
  const deadline = new Deadline();
  // One promise that the first end resolves: a race of several costs each call more than its limits do.
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (result: DeadlineResult<T>) => {
      if (isOver) return;
      isOver = true;
      caller?.removeEventListener('abort', cancel);
      const late = runtime.now() - startedAt > ms;
      deadline.end();
      resolve(late && result.type !== 'cancelled' ? TIMEOUT : result);
    };
    const cancel = () => end(CANCELLED);
    caller?.addEventListener('abort', cancel, { once: true });
    finish(work, deadline, end).catch(reject);
    runtime.sleep(ms, deadline).then(() => end(TIMEOUT), reject);
  });
}

/** A synchronous throw is a rejection like any other. */
async function finish<T>(
  work: (deadline: Deadline) => Promise<T>,
  deadline: Deadline,
  end: (result: DeadlineResult<T>) => void,
): Promise<void> {
  // Not before the caller waits for it: what the work does first may end the caller's signal.
  await undefined;
  let result: DeadlineResult<T>;
  try {
    result = { type: 'done', value: await work(deadline) };
  } catch (thrown) {
    result = { type: 'threw', thrown };
  }
  end(result);
}
