/** Bounds how long the engine waits for anything outside it. */
import { type Duration, durationMs } from '../../domain/duration.ts';
import { CountersignError } from '../../domain/errors.ts';
import { systemTimers } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';
import type { Deadline, TaskAgentPorts } from './ports.ts';

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

/**
 * Runs the work of one port within its time. The work is let go when the time is over, and when nobody waits any more. Rejects with the
 * signal's reason if it aborts, also where the work does not hear of it.
 */
export async function bounded<T>(
  { deadline = noDeadline, timeout = DEFAULT_TIMEOUT }: Pick<TaskAgentPorts, 'deadline' | 'timeout'>,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const gone = Promise.withResolvers<never>();
  const giveUp = () => gone.reject(signal?.reason);
  signal?.addEventListener('abort', giveUp, { once: true });
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    const working = (async () => work(either))();
    return await Promise.race([deadline(working, durationMs(timeout, 'timeout')), gone.promise]);
  } catch (error) {
    over.abort(error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/** For callers that bound the time of a whole turn themselves. */
export const noDeadline: Deadline = (work) => work;
