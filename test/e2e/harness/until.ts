/**
 * Waits for what the deployed gate does.
 *
 * A busy machine takes its time, and a long patience does not slow an idle one down.
 */
import { until as look } from '../../local/endpoint/testing/until.ts';

/** Longer in the campaign of kills, where processes of one function end one after the other. */
export const patience = { ms: 150_000 };

/** Ends the waits of a test that has had its time: `rights/prove-tests.ts` sets it. */
export const hopeless: { signal?: AbortSignal | undefined } = {};

export const until: typeof look = (what, condition, timeoutMs = patience.ms) =>
  look(
    what,
    () => {
      hopeless.signal?.throwIfAborted();
      return condition();
    },
    timeoutMs,
  );
