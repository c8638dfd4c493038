/** Turns resolved settings into the buckets and slots that a call has to pass. */
import {
  circuitKey,
  providerRateKey,
  providerSlotsKey,
  type ToolIdentity,
  toolId,
  toolRateKey,
  toolSlotsKey,
} from '../settings/keys.ts';
import type { ResolvedGuardrails } from '../settings/resolve.ts';
import type { SlotCap } from './concurrency.ts';
import type { NamedBucket } from './rate-limit.ts';

/** The counters of one agent's calls of a tool. */
export interface CallLimits {
  readonly circuit: string;
  readonly buckets: readonly NamedBucket[];
  readonly caps: readonly SlotCap[];
}

export const limitsOf = (
  tool: ToolIdentity,
  agentId: string,
  resolved: ResolvedGuardrails,
  share: boolean,
): CallLimits => ({
  circuit: circuitKey(tool),
  buckets: bucketsOf(tool, agentId, resolved),
  caps: capsOf(tool, agentId, resolved, share),
});

/**
 * Lists the buckets of a call: the tool's, then that of the call's own tighter rate, then the provider's. The own rate
 * has a bucket for its agent alone, because in the shared bucket a tiny rate of one call would close the tool to all.
 */
export function bucketsOf(tool: ToolIdentity, agentId: string, resolved: ResolvedGuardrails): NamedBucket[] {
  const { shared, own, provider, countedFor } = resolved;
  const named = { scope: 'tool', id: toolId(tool) } as const;
  const buckets: NamedBucket[] = [
    { ...named, key: toolRateKey(tool, countedFor.rate), ratePerSecond: shared.ratePerSecond, burst: shared.burst },
  ];
  if (own.ratePerSecond !== undefined || own.burst !== undefined) {
    const ratePerSecond = own.ratePerSecond ?? shared.ratePerSecond;
    const burst = own.burst ?? shared.burst;
    const key = toolRateKey(tool, `call of ${agentId} ${ratePerSecond} ${burst}`);
    buckets.push({ ...named, key, ratePerSecond, burst });
  }
  // Without a limit of its own the provider's bucket is there for its 429s.
  const { id, ratePerSecond } = provider;
  const burst = provider.burst ?? Math.max(1, Math.ceil(ratePerSecond ?? 1));
  buckets.push({ scope: 'provider', id, key: providerRateKey(id), ratePerSecond, burst });
  return buckets;
}

/** `share`: at most half of the slots, rounded up, for one agent. */
function capsOf(tool: ToolIdentity, agentId: string, resolved: ResolvedGuardrails, share: boolean): SlotCap[] {
  const { shared, own, provider, countedFor } = resolved;
  const cap = (key: string, id: string, limit: number): SlotCap => ({
    key,
    id,
    limit,
    ...(share && !countedFor.concurrency ? { agentLimit: Math.ceil(limit / 2) } : {}),
  });
  const caps = [cap(toolSlotsKey(tool, countedFor.concurrency), toolId(tool), shared.maxConcurrent)];
  if (own.maxConcurrent !== undefined)
    caps.push({
      key: toolSlotsKey(tool, `call of ${agentId} ${own.maxConcurrent}`),
      id: toolId(tool),
      limit: own.maxConcurrent,
    });
  if (provider.maxConcurrent !== undefined)
    caps.push(cap(providerSlotsKey(provider.id), provider.id, provider.maxConcurrent));
  return caps;
}
