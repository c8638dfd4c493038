/** Tells when the reads of a wait have failed for so long that further ones are in vain. */
import type { Clock } from '../../ports/clock.ts';

/** So long reads may fail in a row before the wait ends: a throttle or a failover is over by then. */
export const MAX_UNREADABLE_MS = 2 * 60_000;
/** Two reads are no further apart. Where the clock leaps more the machine slept, and its network may be a moment behind it. */
const MAX_GAP_MS = 30_000;

export class FailingReads {
  readonly #clock: Clock;
  #wasRead = false;
  #forMs = 0;
  #failedAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The value of a read; undefined where it failed and a later one may not. @throws `because` where further reads are in vain */
  async orUndefined<Value>(read: Promise<Value>, because: (cause: unknown) => Error): Promise<Value | undefined> {
    try {
      const value = await read;
      this.succeeded();
      return value;
    } catch (error) {
      if (this.areInVain(error)) throw because(error);
      return undefined;
    }
  }

  succeeded(): void {
    this.#wasRead = true;
    this.#forMs = 0;
    this.#failedAt = undefined;
  }

  /**
   * Called with the fault of each read that fails. Where no read succeeded at all, there may be a row at the end of the time; one that fails at the
   * end alone is late.
   */
  areInVain(error: unknown, isLast = false): boolean {
    const now = this.#clock.now();
    this.#forMs += Math.min(MAX_GAP_MS, now - (this.#failedAt ?? now));
    this.#failedAt = now;
    return (isLast && !this.#wasRead) || isRefusal(error) || this.#forMs >= MAX_UNREADABLE_MS;
  }
}

const THROTTLES = /Throttl|ThroughputExceeded|LimitExceeded|TooManyRequests/;

/** Whether a service refused the read for good, as for a missing right or table. AWS SDKs call this a client fault. */
export function isRefusal(error: unknown): boolean {
  const { name = '', $fault: blames } = (error ?? {}) as { readonly name?: string; readonly $fault?: string };
  return blames === 'client' && !THROTTLES.test(name);
}
