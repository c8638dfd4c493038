/** Waits for what the deployed gate does; a busy machine takes its time, an idle one is not slowed down by a long patience. */
import { until as look } from '../../local/endpoint/testing/until.ts';

const PATIENCE_MS = 45_000;

export const until: typeof look = (what, condition, timeoutMs = PATIENCE_MS) => look(what, condition, timeoutMs);
