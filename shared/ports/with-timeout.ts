/** Runs work for so long at most: a call outside is bounded, whatever its client promises. */
import type { SetTimer } from './timers.ts';

/** Stands for a value that did not come in time. */
export const LATE = Symbol('late');

/** `LATE` if `work` has not ended after `ms`, and its signal aborts then; a later value or fault goes unheard. Rejects as `work` does. */
export async function withTimeout<Value>(
  ms: number,
  setTimer: SetTimer,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | typeof LATE> {
  const silence = Promise.withResolvers<typeof LATE>();
  const controller = new AbortController();
  const cancelTimer = setTimer(ms, () => {
    // Before the abort, which may make the work end at once.
    silence.resolve(LATE);
    controller.abort();
  });
  try {
    return await Promise.race([work(controller.signal), silence.promise]);
  } finally {
    cancelTimer();
  }
}
