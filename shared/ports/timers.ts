/** Declares waits of a process, injected so that a test's fake clock moves them too. */
import { type Duration, durationMs } from '../domain/duration.ts';
import { InvalidSettingError } from '../domain/errors.ts';
import type { Check } from '../domain/settings.ts';
import type { Ending } from './ending.ts';

/** Runs `work` once after so many milliseconds; the returned function calls that off. */
export type SetTimer = (ms: number, work: () => void) => () => void;

/** Starts timers. */
export interface Timers {
  readonly after: SetTimer;
}

/** The longest delay that setTimeout takes, 24.8 days: beyond it, it would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/**
 * A wait that a signal ends early. (Node's own rejects then, with an error and its stack for every call that needed no time-out.)
 *
 * @param after starts the timers
 */
export const sleepBy =
  (after: SetTimer) =>
  (ms: number, signal?: Ending): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancel = after(ms, done);
      signal?.addEventListener('abort', done, { once: true });
    });

/**
 * Milliseconds of a wait that a timer can hold.
 *
 * @param setting names the value in the message
 * @throws InvalidSettingError for a length that `durationMs` refuses, for nothing, and for more than 24.8 days
 */
export function waitMs(value: Duration, setting: string): number {
  const ms = durationMs(value, setting);
  if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
  throw new InvalidSettingError(setting, `${ms} ms is no wait: give more than nothing and at most 24 days`);
}

/** Checks a setting that is a wait. */
export const wait: Check = (value, setting) => void waitMs(value as Duration, setting);
