/** Stores what Slack showed to somebody who votes, without holding up the vote. */
import type { InputStore } from '../../shared/ports/stores/input-store.ts';
import { systemTimers, type Timers } from '../../shared/ports/timers.ts';
import { LATE, withTimeout } from '../../shared/ports/with-timeout.ts';
import { logFault } from '../runtime/telemetry/observe.ts';

/** Slack waits three seconds for its answer, and the vote comes after this. */
const SHOWN_TIMEOUT_MS = 1_000;

/** A vote counts even if its text cannot be stored. The log has the fault, such as a missing right. */
export const shownStore = (
  inputs: Pick<InputStore, 'put'>,
  timers: Timers = systemTimers,
): Pick<InputStore, 'put'> => ({
  async put(...text) {
    try {
      const stored = await withTimeout(
        SHOWN_TIMEOUT_MS,
        (ms, end) => timers.after(ms, end),
        () => inputs.put(...text),
      );
      if (stored === LATE) throw new Error('it did not end in time');
    } catch (error) {
      logFault('what a person was shown could not be stored beside their vote', error, { run: true }, 'warn');
      throw error;
    }
  },
});
