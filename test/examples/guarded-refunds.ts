/** Runs a tool within limits of its own: one call a second, two tries, half a second each. */
import { type GuardedTool, guardrails, memoryGuardrails } from '../../shared/adapters/guardrails/index.ts';

const config = {
  environment: 'production',
  environments: { production: {} },
  tools: { Refund: { effect: 'IdempotentWrite', ratePerSecond: 1, burst: 1, maxRetries: 1, timeoutMs: 500 } },
} as const;

/** `now`: milliseconds since 1970. */
export function guardedRefunds(pay: (order: unknown) => Promise<string>, now?: () => number) {
  const refund: GuardedTool = { name: 'Refund', origin: 'local', execute: ({ input }) => pay(input) };
  const guard = guardrails({
    config,
    tools: [refund],
    parts: memoryGuardrails(now),
    events: { emit: ({ name, tool }) => console.log(name, tool) },
  });
  // Never throws: a refusal or a fault is in the result.
  return (order: number) => guard.invoke('Refund', { order }, { agent: 'billing' });
}
