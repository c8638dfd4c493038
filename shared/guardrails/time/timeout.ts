/** Puts a hard deadline around one piece of work: its caller goes on in time in any case. */
import { isPromise, type MaybePromise } from '../../domain/maybe-promise.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import { Deadline } from './deadline.ts';

type DeadlineResult<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'timeout' }
  | { readonly type: 'cancelled' };

const TIMEOUT = { type: 'timeout' } as const;
const CANCELLED = { type: 'cancelled' } as const;

type Work<T> = (deadline: Deadline) => Promise<T>;

/**
 * Holds several pieces of work, one after the other, to one deadline, with one timer and one listener at the caller's signal. A timer for each
 * piece would cost a short call more than all of its limits.
 */
export class TimeLimit {
  readonly #runtime: GuardrailRuntime;
  readonly #caller: AbortSignal | undefined;
  readonly #endsAt: number;
  readonly #timer = new Deadline();
  /** Ends the work that runs now. */
  #end: ((result: typeof TIMEOUT | typeof CANCELLED) => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;

  constructor(ms: number, runtime: GuardrailRuntime, caller?: AbortSignal) {
    this.#runtime = runtime;
    this.#caller = caller;
    this.#endsAt = runtime.now() + ms;
    if (ms <= 0 || caller?.aborted) return;
    caller?.addEventListener('abort', this.#cancel, { once: true });
    runtime.sleep(ms, this.#timer).then(
      () => {
        this.stop();
        this.#end?.(TIMEOUT);
      },
      (error: unknown) => this.#fail?.(error),
    );
  }

  readonly #cancel = (): void => this.#end?.(CANCELLED);

  /** Calls the timer off: nothing may run under this limit any more. */
  stop(): void {
    if (this.#timer.aborted) return;
    this.#caller?.removeEventListener('abort', this.#cancel);
    this.#timer.end();
  }

  /** Runs `work` for at most `ms`, and no longer than the limit. One piece at a time. */
  run<T>(work: Work<T>, ms: number): Promise<DeadlineResult<T>> {
    if (this.#caller?.aborted) return Promise.resolve(CANCELLED);
    if (ms <= 0 || this.#timer.aborted) return Promise.resolve(TIMEOUT);
    const startedAt = this.#runtime.now();
    const deadline = new Deadline();
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (result: DeadlineResult<T>) => {
        if (isOver) return;
        isOver = true;
        this.#end = undefined;
        const late = this.#runtime.now() - startedAt > ms;
        deadline.end();
        resolve(late && result.type !== 'cancelled' ? TIMEOUT : result);
      };
      this.#end = end;
      this.#fail = reject;
      if (startedAt + ms < this.#endsAt) this.#runtime.sleep(ms, deadline).then(() => end(TIMEOUT), reject);
      begin(work, deadline).then(
        (value) => end({ type: 'done', value }),
        (thrown: unknown) => end({ type: 'threw', thrown }),
      );
    });
  }
}

/** A synchronous throw is a rejection like any other. */
function begin<T>(work: Work<T>, deadline: Deadline): Promise<T> {
  try {
    return Promise.resolve(work(deadline));
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/**
 * Runs `work` with a deadline that ends in time, with the work or with the caller's signal. A later result is discarded,
 * also one that is late because the work blocked the process.
 */
export async function withDeadline<T>(
  work: Work<T>,
  ms: number,
  runtime: GuardrailRuntime,
  caller?: AbortSignal,
): Promise<DeadlineResult<T>> {
  const limit = new TimeLimit(ms, runtime, caller);
  try {
    return await limit.run(work, ms);
  } finally {
    limit.stop();
  }
}

/** As `withDeadline`, for work that may be done at once: then there is no timer, and nothing to wait for. */
export function soon<T>(
  work: () => MaybePromise<T>,
  ms: number,
  runtime: GuardrailRuntime,
): MaybePromise<DeadlineResult<T>> {
  const startedAt = runtime.now();
  try {
    const working = work();
    if (isPromise(working)) return withDeadline(() => working, ms, runtime);
    return runtime.now() - startedAt > ms ? TIMEOUT : { type: 'done', value: working };
  } catch (thrown) {
    return { type: 'threw', thrown };
  }
}
