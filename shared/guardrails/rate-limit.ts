/** Rate limits over several buckets: all of them admit the call, or none is charged. */
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import type { RateBucket, RateLimitStore } from '../ports/stores/guardrail-state.ts';
import type { ThrottleFacts } from './errors.ts';

export interface NamedBucket extends RateBucket {
  readonly scope: 'tool' | 'provider';
  /** For people: the tool's or the provider's id. */
  readonly id: string;
}

/** Refusals kept at most; one more forgets them all, which costs a few reads of the store. */
const REMEMBERED = 1000;

/** The longest that one 429 shuts a provider for everybody: quotas are a day's at most, and a header may name any year. */
const MAX_CLOSED_MS = 24 * 60 * 60 * 1000;

export class RateLimiter {
  readonly #store: RateLimitStore;
  readonly #runtime: GuardrailRuntime;
  /** A refusal holds in this process until its retry-after, so that a flood costs the store nothing. */
  readonly #refusedUntil = new Map<string, number>();

  constructor(store: RateLimitStore, runtime: GuardrailRuntime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** Takes one token of each bucket in order; the refusal of one gives back those before it. */
  async take(buckets: readonly NamedBucket[]): Promise<ThrottleFacts | undefined> {
    const taken: NamedBucket[] = [];
    try {
      for (const bucket of buckets) {
        const refusal = await this.#takeOne(bucket);
        if (refusal) {
          await this.refund(taken);
          return refusal;
        }
        taken.push(bucket);
      }
    } catch (error) {
      await this.refund(taken);
      throw error;
    }
    return undefined;
  }

  /** Returns tokens in reverse order. A token that cannot be returned is lost: the bucket then refuses more, and never exceeds its limit. */
  async refund(buckets: readonly NamedBucket[]): Promise<void> {
    for (const bucket of buckets.toReversed()) {
      this.#refusedUntil.delete(bucket.key);
      await this.#store.refund(bucket).catch(() => {});
    }
  }

  /** A provider that answered 429 gets no call of anybody for that long. */
  async close(key: string, statedMs: number): Promise<void> {
    const forMs = Math.min(statedMs, MAX_CLOSED_MS);
    this.#remember(key, forMs);
    await this.#store.close(key, forMs);
  }

  peek(bucket: RateBucket): number | undefined {
    return this.#store.peek(bucket);
  }

  async #takeOne(bucket: NamedBucket): Promise<ThrottleFacts | undefined> {
    const facts = { scope: bucket.scope, throttlingScope: bucket.id };
    const leftMs = (this.#refusedUntil.get(bucket.key) ?? 0) - this.#runtime.now();
    if (leftMs > 0) return { ...facts, retryAfterMs: Math.ceil(leftMs) };
    const decision = await this.#store.take(bucket);
    if (decision.admitted) return undefined;
    if (decision.retryAfterMs === undefined) return facts;
    this.#remember(bucket.key, decision.retryAfterMs);
    return { ...facts, retryAfterMs: decision.retryAfterMs };
  }

  #remember(key: string, forMs: number): void {
    if (this.#refusedUntil.size >= REMEMBERED) this.#refusedUntil.clear();
    const until = this.#runtime.now() + forMs;
    this.#refusedUntil.set(key, Math.max(until, this.#refusedUntil.get(key) ?? 0));
  }
}
