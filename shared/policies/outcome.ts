/** What an agent is told about a choice that ended: a person's refusal and a person's silence are not the same. */
import type { Chosen } from './durable.ts';

export type ChoiceOutcome = 'answered' | 'denied' | 'expired';

export function outcomeOfChoice({ action, stages }: Pick<Chosen, 'action' | 'stages'>): ChoiceOutcome {
  if (action) return 'answered';
  // None propagates outwards, so the stage that said no first is the cause.
  for (const { outcome } of stages) {
    if (outcome === 'rejected') return 'denied';
    if (outcome === 'timeout_rejected') return 'expired';
  }
  return 'answered';
}
