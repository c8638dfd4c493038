/**
 * Concurrency caps: leased slots that all processes share, and a fair, bounded queue within this one.
 * A call waits only while this process itself holds a slot that may come free; otherwise it is refused with a jittered
 * hint, since nobody here would wake it.
 */
import type { Ending } from '../ports/ending.ts';
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import type { SlotLease, SlotStore } from '../ports/stores/guardrail-state.ts';
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
  readonly signal?: Ending | undefined;
}

export type SlotGrant =
  /** `inUse`: of the first cap, the tool's own. */
  | { readonly granted: true; readonly leases: readonly SlotLease[]; readonly inUse: number }
  | { readonly granted: false; readonly aborted: true }
  | { readonly granted: false; readonly aborted: false; readonly limiterId: string; readonly retryAfterMs: number };

interface Waiter {
  readonly wish: SlotWish;
  readonly holder: string;
  /** Waiters with the same caps stand for the same thing: if one cannot go, neither can the next. */
  readonly group: string;
  readonly resolve: (grant: SlotGrant | { readonly failed: unknown }) => void;
  isResolved: boolean;
}

export class ConcurrencyLimiter {
  readonly #store: SlotStore;
  readonly #runtime: GuardrailRuntime;
  readonly #queue = new FairQueue<Waiter>();
  /** Holders of slots in this process, by key. */
  readonly #held = new Map<string, Set<string>>();
  #draining: Promise<void> | undefined;
  #again = false;

  constructor(store: SlotStore, runtime: GuardrailRuntime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** Rejects only if the store is down. */
  acquire(wish: SlotWish): Promise<SlotGrant> {
    return new Promise((resolve, reject) => {
      const abort = () => waiter.resolve({ granted: false, aborted: true });
      const waiter: Waiter = {
        wish,
        holder: this.#runtime.newId(),
        group: wish.caps.map(({ key, limit }) => `${key}/${limit}`).join(' '),
        isResolved: false,
        resolve: (grant) => {
          if (waiter.isResolved) return;
          waiter.isResolved = true;
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
    this.handOver(leases);
  }

  /** Another process ends the call and releases them: nobody here may wait for that. */
  handOver(leases: readonly SlotLease[]): void {
    for (const { key, holder } of leases) this.#held.get(key)?.delete(holder);
    this.#drain();
  }

  /** Slots that this process holds. */
  inUse(key: string): number {
    return this.#held.get(key)?.size ?? 0;
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
        const stuck = await this.#serveAll();
        // A pass that is due decides anew who may wait.
        if (!this.#again) this.#refuseTheRest(stuck);
      }
      this.#draining = undefined;
    })();
  }

  /** Answers which cap refused whom. */
  async #serveAll(): Promise<Map<string, SlotCap>> {
    const stuck = new Map<string, SlotCap>();
    for (;;) {
      const waiter = this.#queue.next((one) => !stuck.has(refusalGroupOf(one)));
      if (!waiter) return stuck;
      try {
        const taken = await this.#tryAll(waiter);
        const { leases, inUse } = taken;
        if (!leases) stuck.set(refusalGroupOf(waiter), taken.refusedBy);
        else if (waiter.isResolved) await this.#free(leases);
        else {
          for (const lease of leases) this.#hold(lease);
          this.#queue.serve(waiter.wish.agent, waiter);
          waiter.resolve({ granted: true, leases, inUse });
        }
      } catch (failed) {
        waiter.resolve({ failed });
      }
    }
  }

  #hold({ key, holder }: SlotLease): void {
    const holders = this.#held.get(key);
    if (holders) holders.add(holder);
    else this.#held.set(key, new Set([holder]));
  }

  async #tryAll({ wish, holder }: Waiter): Promise<Taken> {
    const leases: SlotLease[] = [];
    let inUse = 0;
    try {
      for (const cap of wish.caps) {
        const { key, limit, agentLimit } = cap;
        const request = { key, limit, agentLimit, agent: wish.agent, holder, leaseMs: wish.leaseMs };
        const decision = await this.#store.acquire(request);
        if (!decision.acquired) {
          await this.#free(leases);
          return { refusedBy: cap };
        }
        if (leases.length === 0) inUse = decision.inUse;
        leases.push(decision.lease);
      }
      return { leases, inUse };
    } catch (error) {
      await this.#free(leases);
      throw error;
    }
  }

  #refuseTheRest(stuck: ReadonlyMap<string, SlotCap>): void {
    for (const waiter of this.#queue.all()) {
      const cap = stuck.get(refusalGroupOf(waiter));
      // Nobody here holds what it waits for, so nobody here would wake it.
      if (cap && this.inUse(cap.key) === 0) this.#refuse(waiter, cap);
    }
    for (const waiter of this.#queue.all()) {
      const sameGroup = (other: Waiter) => other.group === waiter.group;
      while (!waiter.isResolved && this.#queue.all().filter(sameGroup).length > waiter.wish.maxQueue) {
        const dropped = this.#queue.newestOfLongest(sameGroup) ?? waiter;
        this.#refuse(dropped, stuck.get(refusalGroupOf(dropped)));
      }
    }
  }

  #refuse(waiter: Waiter, cap = waiter.wish.caps[0]): void {
    const retryAfterMs = Math.ceil(100 + 400 * this.#runtime.random());
    waiter.resolve({ granted: false, aborted: false, limiterId: cap?.id ?? '', retryAfterMs });
  }

  async #free(leases: readonly SlotLease[]): Promise<void> {
    for (const lease of leases.toReversed()) await this.#store.release(lease).catch(() => {});
  }
}

type Taken =
  | { readonly leases: SlotLease[]; readonly inUse: number }
  | { readonly leases?: undefined; readonly inUse?: undefined; readonly refusedBy: SlotCap };

/** Waiters that one refusal speaks for: all of a group, or where agents have shares, the agent's own of it. */
const refusalGroupOf = ({ group, wish }: Waiter): string =>
  wish.caps.some(({ agentLimit }) => agentLimit !== undefined) ? `${group} ${wish.agent}` : group;
