/**
 * Caps concurrency: leased slots that processes share, and a fair, bounded queue within each.
 * A call waits only while this process itself holds a slot that may come free. Otherwise nothing in this process would wake
 * it, so that it is refused at once, with a jittered time for the next try.
 */
import { andThen, eachInTurn, isPromise, type MaybePromise, nothing, orElse } from '../../domain/maybe-promise.ts';
import type { Ending } from '../../ports/ending.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { SlotLease, SlotStore } from '../../ports/stores/guardrail-state.ts';
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
  | {
      readonly granted: false;
      readonly aborted: false;
      readonly limiterId: string;
      /** As the message names them. */
      readonly limits: readonly string[];
      readonly retryAfterMs: number;
    };

interface Waiter {
  readonly wish: SlotWish;
  readonly holder: string;
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
  release(leases: readonly SlotLease[]): MaybePromise<void> {
    return andThen(this.#free(leases), () => this.handOver(leases));
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
    if (!this.#queue.isEmpty) this.#draining ??= this.#pass();
  }

  async #pass(): Promise<void> {
    // Calls that come at the same time are all in line before the first is served.
    await undefined;
    while (this.#again) {
      this.#again = false;
      const stuck = new Map<string, SlotCap>();
      for (let waiter = this.#next(stuck); waiter; waiter = this.#next(stuck)) {
        const served = this.#serve(waiter, stuck);
        if (isPromise(served)) await served;
      }
      // A pass that is due decides anew who may wait.
      if (!this.#again && !this.#queue.isEmpty) this.#refuseTheRest(stuck);
    }
    this.#draining = undefined;
  }

  #next(stuck: ReadonlyMap<string, SlotCap>): Waiter | undefined {
    return this.#queue.next((one) => stuck.size === 0 || !stuck.has(refusalGroupOf(one)));
  }

  /** Notes in `stuck` which cap refused whom. */
  #serve(waiter: Waiter, stuck: Map<string, SlotCap>): MaybePromise<void> {
    return andThen(this.#tryAll(waiter), (taken) => {
      if ('failed' in taken) return waiter.resolve(taken);
      if ('refusedBy' in taken) return void stuck.set(refusalGroupOf(waiter), taken.refusedBy);
      const { leases, inUse } = taken;
      if (waiter.isResolved) return this.#free(leases);
      for (const lease of leases) this.#hold(lease);
      this.#queue.serve(waiter.wish.agent, waiter);
      return waiter.resolve({ granted: true, leases, inUse });
    });
  }

  #hold({ key, holder }: SlotLease): void {
    const holders = this.#held.get(key);
    if (holders) holders.add(holder);
    else this.#held.set(key, new Set([holder]));
  }

  #tryAll(waiter: Waiter): MaybePromise<Taken> {
    const leases: SlotLease[] = [];
    return orElse(
      () => this.#takeRest(waiter, leases, 0),
      (failed) => andThen(this.#free(leases), () => ({ failed })),
    );
  }

  /** `leases`: those taken so far; `inUse` of the first. */
  #takeRest(waiter: Waiter, leases: SlotLease[], inUse: number): MaybePromise<Taken> {
    const { wish, holder } = waiter;
    const cap = wish.caps[leases.length];
    if (!cap) return { leases, inUse };
    const { key, limit, agentLimit } = cap;
    const request = { key, limit, agentLimit, agent: wish.agent, holder, leaseMs: wish.leaseMs };
    return andThen(this.#store.acquire(request), (decision) => {
      if (!decision.acquired) return andThen(this.#free(leases), () => ({ refusedBy: cap }));
      const first = leases.length === 0;
      leases.push(decision.lease);
      return this.#takeRest(waiter, leases, first ? decision.inUse : inUse);
    });
  }

  #refuseTheRest(stuck: ReadonlyMap<string, SlotCap>): void {
    for (const waiter of this.#queue.all()) {
      const cap = stuck.get(refusalGroupOf(waiter));
      // Nobody here holds what it waits for, so nobody here would wake it.
      if (cap && this.inUse(cap.key) === 0) this.#refuse(waiter, cap);
    }
    for (const waiter of this.#queue.all()) {
      const group = groupOf(waiter);
      const sameGroup = (other: Waiter) => groupOf(other) === group;
      while (!waiter.isResolved && this.#queue.all().filter(sameGroup).length > waiter.wish.maxQueue) {
        const dropped = this.#queue.newestOfLongest(sameGroup) ?? waiter;
        this.#refuse(dropped, stuck.get(refusalGroupOf(dropped)), [`maxQueue ${dropped.wish.maxQueue}`]);
      }
    }
  }

  #refuse(waiter: Waiter, cap = waiter.wish.caps[0], more: readonly string[] = []): void {
    const retryAfterMs = Math.ceil(100 + 400 * this.#runtime.random());
    const limits = cap ? [...limitsOf(cap), ...more] : more;
    waiter.resolve({ granted: false, aborted: false, limiterId: cap?.id ?? '', limits, retryAfterMs });
  }

  #free(leases: readonly SlotLease[]): MaybePromise<void> {
    return eachInTurn(leases.toReversed(), (lease) => orElse(() => this.#store.release(lease), nothing));
  }
}

type Taken =
  | { readonly leases: SlotLease[]; readonly inUse: number }
  | { readonly refusedBy: SlotCap }
  | { readonly failed: unknown };

const limitsOf = ({ limit, agentLimit }: SlotCap): readonly string[] => [
  `maxConcurrent ${limit}`,
  ...(agentLimit === undefined || agentLimit === limit ? [] : [`at most ${agentLimit} of one agent`]),
];

/** Waiters with the same caps stand for the same thing: if one cannot go, neither can the next. */
const groupOf = ({ wish }: Waiter): string => wish.caps.map(({ key, limit }) => `${key}/${limit}`).join(' ');

/** Waiters that one refusal speaks for: all of a group, or where agents have shares, the agent's own of it. */
const refusalGroupOf = (waiter: Waiter): string => {
  const { caps, agent } = waiter.wish;
  return caps.some(({ agentLimit }) => agentLimit !== undefined) ? `${groupOf(waiter)} ${agent}` : groupOf(waiter);
};
