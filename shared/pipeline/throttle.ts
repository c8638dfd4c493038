/** A sender's rate, checked before anything else (A14): one limiter write per sender and batch; what is over waits in `deferred` (A12). */
import { LIMITS } from '../contract/primitives.ts';
import { sha256Hex } from '../domain/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimitStore } from '../ports/guardrail-state.ts';
import type { DeferredQueue } from '../ports/outbox.ts';
import type { Incoming } from './incoming.ts';

export interface Throttle {
  readonly rates: RateLimitStore;
  readonly deferred: DeferredQueue;
  readonly clock: Clock;
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A message that was put aside this often is answered `expired`, whatever its time says (A12). */
export const MOST_ROUNDS = 100;
const LEAST_DELAY_S = 1;
/** SQS delays no message longer. */
const MOST_DELAY_S = 900;

export interface Admitted {
  /** What may be worked now. */
  readonly admitted: readonly Incoming[];
  /** What became of each of the others: one that could not be put aside comes again by itself. */
  readonly aside: ReadonlyMap<Incoming, Promise<void>>;
}

/**
 * Of the messages of one sender all are admitted or none, so that a flood costs one write a batch. The others are put aside with a
 * delay, and their receive count is not spent.
 */
export async function admit(
  sender: string,
  messages: readonly Incoming[],
  { perSecond, burst }: Rate,
  { rates, deferred, clock }: Throttle,
): Promise<Admitted> {
  // As many tokens as messages: the same bucket with a token that is that many times larger.
  const size = messages.length;
  const bucket = {
    key: `rate#proposals#${sender}`,
    ratePerSecond: perSecond / size,
    burst: Math.max(1, Math.floor(burst / size)),
  };
  const decision = await rates.take(bucket);
  if (decision.admitted) return { admitted: messages, aside: new Map() };
  const now = clock.now();
  const hintS = Math.ceil((decision.retryAfterMs ?? 0) / 1000);
  // Larger than a message may be, it may be too large for `deferred` as well, and its answer is known: it is given now.
  const { final = [], again = [] } = Object.groupBy(messages, ({ rounds, raw }) =>
    rounds >= MOST_ROUNDS || Buffer.byteLength(raw) > LIMITS.messageBytes ? 'final' : 'again',
  );
  const aside = again.map((message) => {
    const { principal, firstSentAt, messageId, rounds, raw } = message;
    const next = { principal, firstSentAt, messageId, rounds: rounds + 1, raw };
    return [message, deferred.defer(next, Math.max(hintS, delayOf(message, now - firstSentAt)))] as const;
  });
  return { admitted: final, aside: new Map(aside) };
}

/**
 * In seconds: a quarter of what the message has waited already, so that a backlog of any length is worked off before its rounds are over;
 * spread by its id, since a bucket that all of it meets at the same instant gives its burst and no more.
 */
function delayOf({ messageId, rounds }: Incoming, waitedMs: number): number {
  const spread = Number.parseInt(sha256Hex(`${messageId} ${rounds}`).slice(0, 4), 16) / 0x8000;
  return Math.min(MOST_DELAY_S, Math.max(LEAST_DELAY_S, Math.floor((waitedMs / 4_000) * spread)));
}
