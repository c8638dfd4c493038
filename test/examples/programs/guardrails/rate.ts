/** Refuses the second call of a second, and says when to come again. */
import { guardrails, isGuardrailError, memoryGuardrails } from 'countersign/guardrails';

const guard = guardrails({
  config: {
    environment: 'test',
    environments: { test: {} },
    tools: { Refund: { effect: 'NonIdempotentWrite', ratePerSecond: 1, burst: 1 } },
  },
  tools: [{ name: 'Refund', origin: 'local', execute: async () => 'paid' }],
  parts: memoryGuardrails(() => 0),
});
console.log(await guard.call('Refund', { order: 7 }, { agent: 'billing' }));
try {
  await guard.call('Refund', { order: 8 }, { agent: 'billing' });
} catch (error) {
  if (!isGuardrailError(error, 'RateLimited')) throw error;
  console.log(error.details.scope, error.retryAfterMs, error.effect);
}

// Prints:
// paid
// tool 1000 not-started
