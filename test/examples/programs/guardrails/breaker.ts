/** Opens the circuit of a tool that keeps failing: further calls do not reach it. */
import { executionError, guardrails } from 'countersign/guardrails';

let reached = 0;
const guard = guardrails({
  config: {
    environment: 'test',
    environments: { test: {} },
    tools: { Search: { effect: 'Pure', maxRetries: 0, circuitMode: 'consecutive', failureThreshold: 2 } },
  },
  tools: [
    {
      name: 'Search',
      origin: 'local',
      execute: async () => {
        reached += 1;
        throw executionError('the index is down', { transient: true });
      },
    },
  ],
});
for (let call = 0; call < 4; call++) {
  const { error } = await guard.invoke('Search', {}, { agent: 'shop' });
  console.log(error?.code);
}
console.log(reached);

// Prints:
// ToolFailed
// ToolFailed
// CircuitOpen
// CircuitOpen
// 2
