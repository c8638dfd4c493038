/** Puts all guardrail state in one process: for tests, and for an agent that runs alone. */
import type { GuardrailState } from '../../../ports/stores/guardrail-state.ts';
import { MemoryBudgets } from './budgets.ts';
import { MemoryCircuits } from './circuits.ts';
import { MemoryRateLimits } from './rate-limits.ts';
import { MemorySlots } from './slots.ts';

export const memoryGuardrailState = (now: () => number): GuardrailState => ({
  rate: new MemoryRateLimits(now),
  slots: new MemorySlots(now),
  budgets: new MemoryBudgets(now),
  circuits: new MemoryCircuits(),
});
