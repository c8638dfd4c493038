/** Stores the rate limits of one process, for tests and single-process use. */
import { bookTokens, gcraLimit, takeToken, tokensLeft } from '../../../domain/gcra.ts';
import type { CountedBucket, RateBucket, RateDecision, RateLimitStore } from '../../../ports/stores/guardrail-state.ts';

export class MemoryRateLimits implements RateLimitStore {
  readonly #now: () => number;
  readonly #fullAtUs = new Map<string, number>();
  readonly #closedUntil = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  take(bucket: RateBucket): RateDecision {
    const closedUntil = this.#closedUntil.get(bucket.key);
    if (bucket.ratePerSecond === undefined && closedUntil === undefined) return { admitted: true };
    const now = this.#now();
    const closedForMs = (closedUntil ?? 0) - now;
    if (closedForMs > 0) return { admitted: false, retryAfterMs: Math.ceil(closedForMs) };
    if (bucket.ratePerSecond === undefined) return { admitted: true };
    const limit = gcraLimit(bucket.ratePerSecond, bucket.burst);
    const decision = takeToken(this.#fullAtUs.get(bucket.key), now, limit);
    if (!decision.admitted) return decision;
    this.#fullAtUs.set(bucket.key, decision.fullAtUs);
    return { admitted: true, tokensLeft: tokensLeft(decision.fullAtUs, now, limit) };
  }

  book({ key, ratePerSecond, burst }: CountedBucket, count: number, withinMs: number) {
    const now = this.#now();
    if (burst === 0 || (this.#closedUntil.get(key) ?? 0) > now) return undefined;
    const booking = bookTokens(this.#fullAtUs.get(key), now, gcraLimit(ratePerSecond, burst), count, withinMs);
    if (!booking.booked) return undefined;
    this.#fullAtUs.set(key, booking.fullAtUs);
    return booking.waitsMs;
  }

  refund(bucket: RateBucket): void {
    const fullAtUs = this.#fullAtUs.get(bucket.key);
    if (bucket.ratePerSecond === undefined || fullAtUs === undefined) return;
    this.#fullAtUs.set(bucket.key, fullAtUs - gcraLimit(bucket.ratePerSecond, bucket.burst).intervalUs);
  }

  close(key: string, forMs: number): void {
    this.#closedUntil.set(key, Math.max(this.#closedUntil.get(key) ?? 0, this.#now() + forMs));
  }

  peek(bucket: RateBucket): number | undefined {
    if (bucket.ratePerSecond === undefined) return undefined;
    const now = this.#now();
    if ((this.#closedUntil.get(bucket.key) ?? 0) > now) return 0;
    return tokensLeft(this.#fullAtUs.get(bucket.key), now, gcraLimit(bucket.ratePerSecond, bucket.burst));
  }
}
