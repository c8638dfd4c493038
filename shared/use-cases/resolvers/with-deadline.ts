/** Runs `work` for so long at most: a call outside has a deadline of its own, whatever its client promises. */

/** Runs `work` after so long; the returned function calls that off. */
export type SetTimer = (ms: number, work: () => void) => () => void;

/** `late` if `work` has not ended in time; it is told by its signal then. Rejects as `work` does. */
export async function withTimeout<Value>(
  ms: number,
  after: SetTimer,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | 'late'> {
  const { promise: silence, resolve } = Promise.withResolvers<'late'>();
  const controller = new AbortController();
  const callOff = after(ms, () => {
    controller.abort();
    resolve('late');
  });
  try {
    return await Promise.race([work(controller.signal), silence]);
  } finally {
    callOff();
  }
}
