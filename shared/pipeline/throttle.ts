/** A sender's rate, checked before anything else (A14): one limiter write per sender and batch; what is over waits in `deferred` (A12). */
import type { RateLimitStore } from '../ports/guardrail-state.ts';
import type { DeferredQueue } from '../ports/outbox.ts';
import type { Incoming } from './incoming.ts';

export interface Throttle {
  readonly rates: RateLimitStore;
  readonly deferred: DeferredQueue;
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A message that was put aside this often is answered `expired`, whatever its time says (A12). */
export const MOST_ROUNDS = 100;
const LEAST_DELAY_S = 1;

/**
 * Of the messages of one sender, those that may be worked now: all or none, so that a flood costs one write a batch. The others are
 * put aside with a delay, and their receive count is not spent.
 */
export async function admit(
  sender: string,
  messages: readonly Incoming[],
  { perSecond, burst }: Rate,
  { rates, deferred }: Throttle,
): Promise<readonly Incoming[]> {
  // As many tokens as messages: the same bucket with a token that is that many times larger.
  const size = messages.length;
  const bucket = {
    key: `rate#proposals#${sender}`,
    ratePerSecond: perSecond / size,
    burst: Math.max(1, Math.floor(burst / size)),
  };
  const decision = await rates.take(bucket);
  if (decision.admitted) return messages;
  const delay = Math.max(LEAST_DELAY_S, Math.ceil((decision.retryAfterMs ?? 0) / 1000));
  const tooOften = messages.filter(({ rounds }) => rounds >= MOST_ROUNDS);
  await Promise.all(
    messages
      .filter(({ rounds }) => rounds < MOST_ROUNDS)
      .map(({ principal, firstSentAt, messageId, rounds, raw }) =>
        deferred.defer({ principal, firstSentAt, messageId, rounds: rounds + 1, raw }, delay),
      ),
  );
  return tooOften;
}
