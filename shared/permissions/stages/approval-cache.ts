/** Runs stage 4: a remembered refusal, then a grant; both only for calls that no rule matched. */
import type { Decided, RefusalFact } from '../model/types.ts';
import { decide, pass, type Stage } from './stage.ts';

/** Denies a call that a person has just refused, and asks nobody again. */
export function rememberedRefusal({ by = 'A person', reason = '' }: RefusalFact): Decided {
  return {
    verdict: 'deny',
    reason: 'handler',
    source: 'approval_cache',
    code: 'remembered_refusal',
    message: `${by} has just refused this very call. ${reason}`.trimEnd(),
  };
}

export const approvalCacheStage: Stage = {
  name: 'approval_cache',
  looked: 'remembered answers of people',
  run({ facts, minimumVerdict }) {
    const { grant, refusal } = facts;
    if (refusal !== undefined) return decide(rememberedRefusal(refusal));
    if (grant === undefined) return pass('no grant');
    // A person who saw exactly this call may have understood it; one who allowed all calls of the tool has not seen it.
    if (minimumVerdict !== undefined && grant.scope !== 'session')
      return pass(`a grant for all calls does not cover this: ${minimumVerdict.why}`);
    return decide({
      verdict: 'allow',
      reason: 'cache_hit',
      source: 'approval_cache',
      code: 'cache_hit',
      message: 'Allowed: a person approved this before.',
    });
  },
};
