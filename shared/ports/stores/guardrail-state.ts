/**
 * Declares the state that guardrails share between processes.
 *
 * Every limiter decision is one conditional write of the adapter; the adapter owns the clock it compares with. A
 * method that throws or rejects means "the store is down", never "refused". A store in memory answers at once.
 */
import type { MaybePromise } from '../../domain/maybe-promise.ts';

/** A token bucket. Starts full; refills continuously. */
export interface RateBucket {
  readonly key: string;
  /** Absent: nothing to count, but the bucket can still be closed by a provider's 429. */
  readonly ratePerSecond?: number | undefined;
  /** Capacity. 0 admits nothing, and then there is no retry-after to give. */
  readonly burst: number;
}

/** A bucket, and how many tokens the call takes of it. */
export type CountedBucket = RateBucket & { readonly ratePerSecond: number };

/** Whether all buckets had room. Times in milliseconds. */
export type RateDecision =
  | { readonly admitted: true; readonly tokensLeft?: number | undefined }
  | { readonly admitted: false; readonly retryAfterMs?: number | undefined };

/** Holds the rate limits. */
export interface RateLimitStore {
  /** Takes one token or none. */
  take(bucket: RateBucket): MaybePromise<RateDecision>;
  /**
   * Books tokens, all or none, with one write. A token may still have to refill: a caller that waits as long as it is told has it and need not ask
   * again. Returns the milliseconds until each token is there, in order; undefined if the last is not there within `withinMs`, or the bucket is
   * closed. Rejects if other writers were faster too often.
   */
  book(bucket: CountedBucket, count: number, withinMs: number): MaybePromise<readonly number[] | undefined>;
  /** Puts one token back: a later stage refused, so the call never started. */
  refund(bucket: RateBucket): MaybePromise<void>;
  /** Admits nothing for that long; never shortens an earlier closing. */
  close(key: string, forMs: number): MaybePromise<void>;
  /** Tokens as last known to this process, without I/O; for `PolicyApplied` and saturation. */
  peek(bucket: RateBucket): number | undefined;
}

/** A wish for a slot of each of these limiters. */
export interface SlotRequest {
  readonly key: string;
  /** At most so many leases at once, over all processes. */
  readonly limit: number;
  /** At most so many of them for this agent. Approximate under concurrency, unlike `limit`. */
  readonly agentLimit?: number | undefined;
  readonly agent: string;
  /** The lease's id; asking again under the same id takes no second slot. */
  readonly holder: string;
  /** After this time others may take the slot, even if its holder never released it. */
  readonly leaseMs: number;
}

/** Plain data, so that it can travel with a permit to the process that ends the call. */
export interface SlotLease {
  readonly key: string;
  readonly slot: number;
  readonly holder: string;
}

/** Whether a slot was free of each limiter. */
export type SlotDecision =
  /** `inUse`: leases that are alive now, over all processes, this one included; for who watches them. */
  | { readonly acquired: true; readonly lease: SlotLease; readonly inUse: number }
  | { readonly acquired: false; readonly retryAfterMs?: number | undefined };

/** Holds the slots of concurrency limits. */
export interface SlotStore {
  acquire(request: SlotRequest): MaybePromise<SlotDecision>;
  /** Frees the slot if that holder still has it; otherwise nothing. */
  release(lease: SlotLease): MaybePromise<void>;
  inUse(key: string): MaybePromise<number>;
}

/** Amounts are safe integers of the budget's smallest unit: milliseconds, millionths of the currency. */
export interface BudgetRequest {
  readonly key: string;
  readonly limit: number;
  /** Windows are aligned to multiples of this since the epoch: minutes, UTC days. */
  readonly windowMs: number;
  /** Counts once, however often the same reservation is asked for. */
  readonly reservationId: string;
  readonly amount: number;
  /** The least that is of use; less than `amount` for time, where the deadline shrinks with what is left. */
  readonly atLeast: number;
}

/** An amount that a call reserved; the real cost replaces it at the end. */
export interface BudgetReservation {
  readonly key: string;
  readonly reservationId: string;
  readonly amount: number;
}

/** Whether the budgets had room. */
export type BudgetDecision =
  /** `used`: spent and reserved in the window, this reservation included; for who watches the budget. */
  | { readonly reserved: true; readonly reservation: BudgetReservation; readonly used: number }
  | { readonly reserved: false; readonly resetAfterMs: number };

/** Holds the budgets. */
export interface BudgetStore {
  /** Reserves only if what is spent and reserved stays within the limit, and only while spent < limit. */
  reserve(request: BudgetRequest): MaybePromise<BudgetDecision>;
  /** Replaces the reservation by what was really used. A second call for the same reservation changes nothing. */
  closeReservation(reservation: BudgetReservation, actual: number): MaybePromise<void>;
  /** Spent and reserved in the current window. */
  spent(key: string, windowMs: number): MaybePromise<number>;
}

/** States of a circuit breaker. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** The state of one circuit breaker, with its counts. */
export interface CircuitRow {
  readonly state: CircuitState;
  /** How often it closed again: a result of a call that was admitted before says nothing about the time since. */
  readonly epoch: number;
  readonly failures: number;
  /** The last results, oldest first; kept in ratio mode only. */
  readonly results: readonly { readonly at: number; readonly failed: boolean }[];
  /** When an open circuit may be probed. */
  readonly probeAt: number;
  /** Leases of half-open probes. */
  readonly probes: readonly { readonly id: string; readonly expiresAt: number }[];
}

/** Holds the circuit breakers. */
export interface CircuitStore {
  load(key: string): MaybePromise<{ readonly row: CircuitRow; readonly version: number } | undefined>;
  /** Writes only if the row still has that version (0: no row yet). False: somebody was faster. */
  save(key: string, row: CircuitRow, expectedVersion: number): MaybePromise<boolean>;
}

/** The state of all guardrails: in the memory of one process, or in a table that processes share. */
export interface GuardrailState {
  readonly rate: RateLimitStore;
  readonly slots: SlotStore;
  readonly budgets: BudgetStore;
  readonly circuits: CircuitStore;
}
