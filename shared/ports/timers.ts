/** Waits of a process, injected so that a test's fake clock moves them too. */

/** Runs `work` once after so many milliseconds; the returned function calls that off. */
export type SetTimer = (ms: number, work: () => void) => () => void;

export interface Timers {
  readonly after: SetTimer;
}

/** The longest delay that setTimeout takes, 24.8 days: beyond it, it would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
