/** Limits rates over several buckets: all of them admit the call, or none is charged. */
import { andThen, eachInTurn, type MaybePromise, nothing, orElse } from '../../domain/maybe-promise.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { RateBucket, RateLimitStore } from '../../ports/stores/guardrail-state.ts';
import type { ThrottleFacts } from './limit-errors.ts';

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
  take(buckets: readonly NamedBucket[]): MaybePromise<ThrottleFacts | undefined> {
    let taken = 0;
    const takeRest = (): MaybePromise<ThrottleFacts | undefined> => {
      const bucket = buckets[taken];
      if (!bucket) return undefined;
      return andThen(this.#takeOne(bucket), (refusal) => {
        if (refusal) return andThen(this.refund(buckets.slice(0, taken)), () => refusal);
        taken++;
        return takeRest();
      });
    };
    return orElse(takeRest, (error) =>
      andThen(this.refund(buckets.slice(0, taken)), () => {
        throw error;
      }),
    );
  }

  /** Returns tokens in reverse order. A token that cannot be returned is lost: the bucket then refuses more, and never exceeds its limit. */
  refund(buckets: readonly NamedBucket[]): MaybePromise<void> {
    return eachInTurn(buckets.toReversed(), (bucket) => {
      this.#refusedUntil.delete(bucket.key);
      return orElse(() => this.#store.refund(bucket), nothing);
    });
  }

  /** A provider that answered 429 gets no call of anybody for that long. */
  close(key: string, statedMs: number): MaybePromise<void> {
    const forMs = Math.min(statedMs, MAX_CLOSED_MS);
    this.#remember(key, forMs);
    return this.#store.close(key, forMs);
  }

  peek(bucket: RateBucket): number | undefined {
    return this.#store.peek(bucket);
  }

  #takeOne(bucket: NamedBucket): MaybePromise<ThrottleFacts | undefined> {
    const leftMs = this.#refusedForMs(bucket.key);
    if (leftMs > 0) return throttled(bucket, Math.ceil(leftMs));
    return andThen(this.#store.take(bucket), (decision) => {
      if (decision.admitted) return undefined;
      if (decision.retryAfterMs !== undefined) this.#remember(bucket.key, decision.retryAfterMs);
      return throttled(bucket, decision.retryAfterMs);
    });
  }

  #refusedForMs(key: string): number {
    const until = this.#refusedUntil.size === 0 ? undefined : this.#refusedUntil.get(key);
    return until === undefined ? 0 : until - this.#runtime.now();
  }

  #remember(key: string, forMs: number): void {
    if (this.#refusedUntil.size >= REMEMBERED) this.#refusedUntil.clear();
    const until = this.#runtime.now() + forMs;
    this.#refusedUntil.set(key, Math.max(until, this.#refusedUntil.get(key) ?? 0));
  }
}

const throttled = (bucket: NamedBucket, retryAfterMs: number | undefined): ThrottleFacts => ({
  scope: bucket.scope,
  throttlingScope: bucket.id,
  limits: limitsOf(bucket),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

/** A provider may have shut its bucket by an answer of its own, whatever the rate. */
const limitsOf = ({ scope, ratePerSecond, burst }: NamedBucket): readonly string[] => [
  ...(ratePerSecond === undefined ? [] : [`ratePerSecond ${ratePerSecond}`, `burst ${burst}`]),
  ...(scope === 'provider' ? ['answers 429'] : []),
];
