/** How long the engine waits for anything outside it. */
import type { Duration } from '../domain/duration.ts';
import { CountersignError } from '../domain/errors.ts';
import { systemTimers } from '../ports/timers.ts';
import { LATE, withTimeout } from '../ports/with-timeout.ts';
import type { Deadline } from './ports.ts';

export const DEFAULT_TIMEOUT: Duration = '10s';

/** Thrown by a deadline, and by any runner or classifier that keeps its own. */
export class DeadlineError extends CountersignError {
  constructor(message = 'no answer in time') {
    super('deadline', message);
  }
}

/** The wall clock's. */
export const timerDeadline: Deadline = async (work, ms) => {
  const value = await withTimeout(ms, systemTimers.after, () => work);
  if (value === LATE) throw new DeadlineError();
  return value;
};

/** For callers that bound the time of a whole turn themselves. */
export const noDeadline: Deadline = (work) => work;
