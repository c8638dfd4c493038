/** Runs a tool within limits of its own: one call a second, two tries, half a second each. */
import {
  type GuardedTool,
  Guardrails,
  loadGuardrails,
  memoryGuardrails,
} from '../../shared/adapters/guardrails/index.ts';

const config = loadGuardrails({
  environment: 'production',
  environments: { production: {} },
  tools: { Refund: { effect: 'IdempotentWrite', ratePerSecond: 1, burst: 1, maxRetries: 1, timeoutMs: 500 } },
});

/** `now`: milliseconds since 1970. */
export function guardedRefunds(pay: (order: unknown) => Promise<string>, now?: () => number) {
  const refund: GuardedTool = { name: 'Refund', origin: 'local', execute: ({ input }) => pay(input) };
  const guardrails = new Guardrails({
    ...memoryGuardrails(now),
    config,
    events: { emit: ({ name, tool }) => console.log(name, tool) },
    findTool: (name) => (name === refund.name ? refund : undefined),
  });
  // Never throws: a refusal or a fault is in the result.
  return (order: number) => guardrails.invoke({ agentId: 'billing', toolName: 'Refund', input: { order } });
}
