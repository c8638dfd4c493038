/** Runs stage 5: after too many denials a person is asked, and no classifier any more. */
import { DEFAULT_MAX_CONSECUTIVE, DEFAULT_MAX_TOTAL, type DenialFact } from '../model/types.ts';
import { decide, pass, type Stage, severityOf } from './stage.ts';

function over(count: number, limit: number): boolean {
  // A counter or a limit that is no number trips it.
  return !(count < limit);
}

export function isOverThreshold(denials: DenialFact): boolean {
  return (
    over(denials.consecutive, denials.maxConsecutive ?? DEFAULT_MAX_CONSECUTIVE) ||
    over(denials.total, denials.maxTotal ?? DEFAULT_MAX_TOTAL)
  );
}

export const denialTrackerStage: Stage = {
  name: 'denial_tracker',
  looked: 'denials of this session',
  run({ prepared, facts, mode }) {
    // Don't-ask never escalates; plan and bypass have their outcome without people.
    if (mode === 'dontAsk' || mode === 'plan' || mode === 'bypass') return pass(`does not count in mode ${mode}`);
    const { denials } = facts;
    if (denials === undefined || !isOverThreshold(denials)) return pass('below the thresholds');
    return decide({
      verdict: 'ask',
      reason: 'denial_tracker',
      source: 'denial_tracker',
      code: 'denial_tracker',
      message: `After ${denials.consecutive} denials in a row and ${denials.total} in all, a person decides.`,
      severity: severityOf(prepared),
    });
  },
};
