/**
 * Waits for what the deployed gate does.
 *
 * A busy machine takes its time, and a long patience does not slow an idle one down.
 */
import { until as look } from '../../local/endpoint/testing/until.ts';

/** Shorter where tests are to fail. */
export const PATIENCE_MS = Number(process.env['COUNTERSIGN_PATIENCE_MS'] || 150_000);

export const until: typeof look = (what, condition, timeoutMs = PATIENCE_MS) => look(what, condition, timeoutMs);
