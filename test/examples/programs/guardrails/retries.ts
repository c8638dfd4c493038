/** Tries an idempotent tool again whose first call failed for a moment, under the same key. */
import { executionError, guardrails } from 'countersign/guardrails';

let calls = 0;
const guard = guardrails({
  config: {
    environment: 'test',
    environments: { test: {} },
    tools: { Reserve: { effect: 'IdempotentWrite', maxRetries: 2, backoffBaseMs: 1 } },
  },
  tools: [
    {
      name: 'Reserve',
      origin: 'local',
      execute: async ({ idempotencyKey }) => {
        if (++calls === 1) throw executionError('the line was busy', { transient: true });
        return `reserved under ${idempotencyKey}`;
      },
    },
  ],
});
const { status, output, attempts } = await guard.invoke(
  'Reserve',
  { seat: 7 },
  { agent: 'shop', idempotencyKey: 'seat-7' },
);
console.log(status, output, attempts);

// Prints:
// Ok reserved under seat-7 2
