/**
 * Waits for what the deployed gate does.
 *
 * A busy machine takes its time, and a long patience does not slow an idle one down.
 */
import { until as look } from '../../local/endpoint/testing/until.ts';

const PATIENCE_MS = 150_000;

export const until: typeof look = (what, condition, timeoutMs = PATIENCE_MS) => look(what, condition, timeoutMs);
