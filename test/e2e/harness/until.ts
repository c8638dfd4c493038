/**
 * Waits for what the deployed gate does.
 *
 * A busy machine takes its time, and a long patience does not slow an idle one down.
 */
import { until as look } from '../../local/endpoint/testing/until.ts';

export const PATIENCE_MS = 150_000;

/** Ends the waits of a test that has had its time: `rights/prove-tests.ts` sets it. */
export const hopeless: { signal?: AbortSignal | undefined } = {};

export const until: typeof look = (what, condition, timeoutMs = PATIENCE_MS) =>
  look(
    what,
    () => {
      hopeless.signal?.throwIfAborted();
      return condition();
    },
    timeoutMs,
  );
