/** Checks the guardrails' state in memory. */
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import { guardrailStateContract } from './guardrails.contract.ts';

guardrailStateContract('guardrail state in memory', async () => {
  let now = 1_800_000_000_000;
  const state = memoryGuardrailState(() => now);
  const advance = (ms: number) => {
    now += ms;
  };
  return { state, other: state, advance, now: () => now };
});
