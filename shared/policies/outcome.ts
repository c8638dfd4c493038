/** Names the outcome of a choice for its agent: a person's refusal and a person's silence differ. */
import type { Chosen } from './durable.ts';

type ChoiceOutcome = 'answered' | 'denied' | 'expired';

export function outcomeOfChoice({ action, stages }: Pick<Chosen, 'action' | 'stages'>): ChoiceOutcome {
  if (action) return 'answered';
  // `null` propagates outwards, so the first stage that refused is the cause.
  for (const { outcome } of stages) {
    if (outcome === 'rejected') return 'denied';
    if (outcome === 'timeout_rejected') return 'expired';
  }
  return 'answered';
}
