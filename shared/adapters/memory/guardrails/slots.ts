/** Stores the concurrency leases of one process. */
import type { SlotDecision, SlotLease, SlotRequest, SlotStore } from '../../../ports/stores/guardrail-state.ts';

interface Held {
  readonly holder: string;
  readonly agent: string;
  readonly expiresAt: number;
}

export class MemorySlots implements SlotStore {
  readonly #now: () => number;
  readonly #slots = new Map<string, Map<number, Held>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  acquire(request: SlotRequest): SlotDecision {
    const { key, limit, agentLimit, agent, holder, leaseMs } = request;
    const now = this.#now();
    const slots = this.#slots.get(key) ?? new Map<number, Held>();
    this.#slots.set(key, slots);
    let [ofAgent, firstExpiry] = [0, Number.POSITIVE_INFINITY];
    for (const [slot, held] of slots) {
      if (held.expiresAt <= now) {
        slots.delete(slot);
        continue;
      }
      if (held.holder === holder) return { acquired: true, lease: { key, slot, holder }, inUse: slots.size };
      if (held.agent === agent) ofAgent++;
      firstExpiry = Math.min(firstExpiry, held.expiresAt);
    }
    if (slots.size >= limit || ofAgent >= (agentLimit ?? limit))
      return { acquired: false, retryAfterMs: Math.ceil(firstExpiry - now) };
    let free = 0;
    while (slots.has(free)) free++;
    slots.set(free, { holder, agent, expiresAt: now + leaseMs });
    return { acquired: true, lease: { key, slot: free, holder }, inUse: slots.size };
  }

  release({ key, slot, holder }: SlotLease): void {
    if (this.#slots.get(key)?.get(slot)?.holder === holder) this.#slots.get(key)?.delete(slot);
  }

  inUse(key: string): number {
    const slots = this.#slots.get(key)?.values() ?? [];
    return [...slots].filter(({ expiresAt }) => expiresAt > this.#now()).length;
  }
}
