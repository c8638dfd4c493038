/** Gives an asker a deadline: after it the question counts as unanswered. */
import type { Duration } from '../domain/duration.ts';
import { fn } from '../domain/settings.ts';
import type { Asker } from './asker.ts';
import { type SetTimer, systemTimers, waitMs } from './timers.ts';
import { LATE, withTimeout } from './with-timeout.ts';

/**
 * An asker whose answer is `silent` once `timeout` is over. The asker inside is told to let go then, and a later answer goes unheard.
 *
 * @throws InvalidSettingError for a time-out that is none
 * @example
 * const patient = withDeadline(consoleAsker(), '3m');
 * const service = new PermissionService({ ask: patient });
 */
export const withDeadline = (ask: Asker, timeout: Duration): Asker => withDeadlineBy(systemTimers.after, ask, timeout);

/** As `withDeadline`, with a timer of one's own. */
export function withDeadlineBy(timer: SetTimer, ask: Asker, timeout: Duration): Asker {
  fn(ask, 'ask');
  const ms = waitMs(timeout, 'timeout');
  return async (question, { signal }) => {
    signal.throwIfAborted();
    const answer = await withTimeout(ms, timer, (over) => ask(question, { signal: AbortSignal.any([signal, over]) }));
    return answer === LATE ? { type: 'silent' } : answer;
  };
}
