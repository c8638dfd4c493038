/** Declares the timers of a process, injected so that a test's fake clock moves the memory adapters too. */
export interface Timers {
  /** Runs `work` once after so many milliseconds; the returned function calls that off. */
  after(ms: number, work: () => void): () => void;
}

export const systemTimers: Timers = {
  after(ms, work) {
    // setTimeout overflows beyond 24.8 days and would fire at once.
    const timer = setTimeout(work, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
