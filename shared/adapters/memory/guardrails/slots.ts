/** Concurrency leases of one process. */
import type { SlotDecision, SlotLease, SlotRequest, SlotStore } from '../../../ports/guardrail-state.ts';

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

  async acquire(request: SlotRequest): Promise<SlotDecision> {
    const { key, limit, agentLimit, agent, holder, leaseMs } = request;
    const now = this.#now();
    const slots = this.#slots.get(key) ?? new Map<number, Held>();
    this.#slots.set(key, slots);
    for (const [slot, held] of slots) if (held.expiresAt <= now) slots.delete(slot);
    const mine = slots.entries().find(([, held]) => held.holder === holder);
    if (mine) return { acquired: true, lease: { key, slot: mine[0], holder } };
    const ofAgent = slots.values().reduce((sum, held) => sum + (held.agent === agent ? 1 : 0), 0);
    const free = Array.from({ length: limit }, (_, slot) => slot).find((slot) => !slots.has(slot));
    if (free === undefined || slots.size >= limit || ofAgent >= (agentLimit ?? limit)) {
      const firstExpiry = Math.min(...slots.values().map(({ expiresAt }) => expiresAt));
      return { acquired: false, retryAfterMs: Math.ceil(firstExpiry - now) };
    }
    slots.set(free, { holder, agent, expiresAt: now + leaseMs });
    return { acquired: true, lease: { key, slot: free, holder } };
  }

  async release({ key, slot, holder }: SlotLease): Promise<void> {
    if (this.#slots.get(key)?.get(slot)?.holder === holder) this.#slots.get(key)?.delete(slot);
  }

  async inUse(key: string): Promise<number> {
    const slots = this.#slots.get(key)?.values() ?? [];
    return [...slots].filter(({ expiresAt }) => expiresAt > this.#now()).length;
  }
}
