/**
 * Concurrency caps (R3-062 … R3-067): leased slots that all processes share, and a fair, bounded queue within this one.
 * A call waits only while this process itself holds a slot that may come free; otherwise it is refused with a jittered
 * hint (A21), since nobody here would wake it.
 */
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import type { SlotLease, SlotStore } from '../ports/guardrail-state.ts';
import { FairQueue } from './fair-queue.ts';

export interface SlotCap {
  readonly key: string;
  /** For people. */
  readonly id: string;
  readonly limit: number;
  readonly agentLimit?: number | undefined;
}

export interface SlotWish {
  /** All of them or none, taken in this order. */
  readonly caps: readonly SlotCap[];
  readonly agent: string;
  readonly leaseMs: number;
  readonly maxQueue: number;
  /** Ends the wait: the deadline passed, or the caller went away. */
  readonly signal?: AbortSignal | undefined;
}

export type SlotGrant =
  | { readonly granted: true; readonly leases: readonly SlotLease[] }
  | { readonly granted: false; readonly aborted: true }
  | { readonly granted: false; readonly aborted: false; readonly limiterId: string; readonly retryAfterMs: number };

interface Waiter {
  readonly wish: SlotWish;
  readonly holder: string;
  /** Waiters with the same caps stand for the same thing: if one cannot go, neither can the next. */
  readonly group: string;
  readonly settle: (grant: SlotGrant | { readonly failed: unknown }) => void;
  settled: boolean;
  refusedBy: SlotCap | undefined;
}

export class ConcurrencyLimiter {
  readonly #store: SlotStore;
  readonly #runtime: GuardrailRuntime;
  readonly #queue = new FairQueue<Waiter>();
  /** Leases of this process by key. */
  readonly #held = new Map<string, number>();
  #draining: Promise<void> | undefined;
  #again = false;

  constructor(store: SlotStore, runtime: GuardrailRuntime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** Rejects only if the store is down. */
  acquire(wish: SlotWish): Promise<SlotGrant> {
    return new Promise((resolve, reject) => {
      const abort = () => waiter.settle({ granted: false, aborted: true });
      const waiter: Waiter = {
        wish,
        holder: this.#runtime.newId(),
        group: wish.caps.map(({ key, limit }) => `${key}/${limit}`).join(' '),
        settled: false,
        refusedBy: undefined,
        settle: (grant) => {
          if (waiter.settled) return;
          waiter.settled = true;
          wish.signal?.removeEventListener('abort', abort);
          this.#queue.remove(wish.agent, waiter);
          if ('failed' in grant) reject(grant.failed);
          else resolve(grant);
        },
      };
      if (wish.signal?.aborted) return abort();
      wish.signal?.addEventListener('abort', abort, { once: true });
      this.#queue.add(wish.agent, waiter);
      this.#drain();
    });
  }

  /** Frees the slots in reverse order and lets the next one in. A slot that the store would not free expires. */
  async release(leases: readonly SlotLease[]): Promise<void> {
    await this.#free(leases);
    for (const { key } of leases) this.#held.set(key, Math.max(0, this.inUse(key) - 1));
    this.#drain();
  }

  /** Slots that this process holds (R3-096). */
  inUse(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** One pass at a time, and one more for whatever changed meanwhile. */
  #drain(): void {
    this.#again = true;
    this.#draining ??= (async () => {
      await undefined;
      while (this.#again) {
        this.#again = false;
        await this.#serveAll();
        // A pass that is due decides anew who may wait.
        if (!this.#again) this.#refuseTheRest();
      }
      this.#draining = undefined;
    })();
  }

  async #serveAll(): Promise<void> {
    const stuck = new Set<string>();
    const standing = ({ group, wish }: Waiter) =>
      wish.caps.some(({ agentLimit }) => agentLimit !== undefined) ? `${group} ${wish.agent}` : group;
    for (;;) {
      const waiter = this.#queue.next((one) => !stuck.has(standing(one)));
      if (!waiter) return;
      try {
        const leases = await this.#tryAll(waiter);
        if (!leases) stuck.add(standing(waiter));
        else if (waiter.settled) await this.#free(leases);
        else {
          for (const { key } of leases) this.#held.set(key, this.inUse(key) + 1);
          this.#queue.serve(waiter.wish.agent, waiter);
          waiter.settle({ granted: true, leases });
        }
      } catch (failed) {
        waiter.settle({ failed });
      }
    }
  }

  async #tryAll(waiter: Waiter): Promise<SlotLease[] | undefined> {
    const { wish, holder } = waiter;
    const leases: SlotLease[] = [];
    try {
      for (const cap of wish.caps) {
        const { key, limit, agentLimit } = cap;
        const request = { key, limit, agentLimit, agent: wish.agent, holder, leaseMs: wish.leaseMs };
        const decision = await this.#store.acquire(request);
        if (!decision.acquired) {
          waiter.refusedBy = cap;
          await this.#free(leases);
          return undefined;
        }
        leases.push(decision.lease);
      }
      return leases;
    } catch (error) {
      await this.#free(leases);
      throw error;
    }
  }

  #refuseTheRest(): void {
    for (const waiter of this.#queue.all())
      if (!waiter.refusedBy || this.inUse(waiter.refusedBy.key) === 0) this.#refuse(waiter);
    for (const waiter of this.#queue.all()) {
      if (waiter.settled) continue;
      const sameGroup = (other: Waiter) => other.group === waiter.group;
      while (this.#queue.all().filter(sameGroup).length > waiter.wish.maxQueue) {
        const dropped = this.#queue.newestOfLongest(sameGroup);
        if (!dropped) break;
        this.#refuse(dropped);
      }
    }
  }

  #refuse(waiter: Waiter): void {
    const limiterId = waiter.refusedBy?.id ?? waiter.wish.caps[0]?.id ?? '';
    const retryAfterMs = Math.ceil(100 + 400 * this.#runtime.random());
    waiter.settle({ granted: false, aborted: false, limiterId, retryAfterMs });
  }

  async #free(leases: readonly SlotLease[]): Promise<void> {
    for (const lease of leases.toReversed()) await this.#store.release(lease).catch(() => {});
  }
}
