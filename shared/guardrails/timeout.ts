/** A hard deadline around one piece of work: whatever it does, the caller goes on in time. */
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';

/** Why signals abort: one object, since making an error for every call that ends well is what such a call would pay most for. */
const OVER = new Error('the attempt is over');

export type DeadlineResult<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'timeout' }
  | { readonly type: 'cancelled' };

/**
 * Runs `work` with a signal that aborts at the deadline, or with the caller's. A later result is discarded,
 * also one that is late because the work blocked the process.
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number,
  runtime: GuardrailRuntime,
  caller?: AbortSignal,
): Promise<DeadlineResult<T>> {
  if (caller?.aborted) return { type: 'cancelled' };
  if (ms <= 0) return { type: 'timeout' };
  const startedAt = runtime.now();
  const inner = new AbortController();
  const timer = new AbortController();
  const cancelled = onAbort(caller);
  const timedOut = runtime.sleep(ms, timer.signal).then((): DeadlineResult<T> => ({ type: 'timeout' }));
  // Started in a microtask, so that a synchronous throw is a rejection like any other.
  const finished = Promise.resolve()
    .then(() => work(inner.signal))
    .then(
      (value): DeadlineResult<T> => ({ type: 'done', value }),
      (thrown: unknown): DeadlineResult<T> => ({ type: 'threw', thrown }),
    );
  try {
    const first = await Promise.race([finished, timedOut, cancelled.promise]);
    const late = runtime.now() - startedAt > ms;
    return late && first.type !== 'cancelled' ? { type: 'timeout' } : first;
  } finally {
    cancelled.stop();
    timer.abort(OVER);
    inner.abort(OVER);
  }
}

function onAbort(signal: AbortSignal | undefined) {
  let stop = () => {};
  const promise = new Promise<{ type: 'cancelled' }>((resolve) => {
    const listener = () => resolve({ type: 'cancelled' });
    signal?.addEventListener('abort', listener, { once: true });
    stop = () => signal?.removeEventListener('abort', listener);
  });
  return { promise, stop };
}
