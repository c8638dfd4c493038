/** Tells how long to wait before a retry. */

export interface BackoffSettings {
  readonly backoffBaseMs: number;
  readonly backoffMultiplier: number;
  readonly backoffJitter: number;
  readonly maxDelayMs: number;
}

/**
 * Delay before the n-th retry in ms; 0 for n = 0. Exponential, capped, then jittered by a factor in [1 - j, 1 + j].
 * A hint of the limiter or the server is a lower bound: it is never shortened by cap or jitter.
 */
export function backoffDelay(settings: BackoffSettings, retry: number, random: () => number, retryAfterMs = 0): number {
  if (retry <= 0) return Math.max(0, retryAfterMs);
  const { backoffBaseMs, backoffMultiplier, backoffJitter, maxDelayMs } = settings;
  const capped = Math.min(backoffBaseMs * backoffMultiplier ** (retry - 1), maxDelayMs);
  const jittered = capped * (1 - backoffJitter + 2 * backoffJitter * random());
  return Math.max(0, jittered, retryAfterMs);
}
