/** Stage 4 (D11): a remembered refusal, then a grant; both only for calls that no rule matched. */
import { decide, pass, type Stage } from './stage.ts';

export const approvalCacheStage: Stage = {
  name: 'approval_cache',
  looked: 'remembered answers of people',
  run({ facts, floor }) {
    const { grant, refusal } = facts;
    if (refusal !== undefined) {
      const by = refusal.by === undefined ? 'A person' : refusal.by;
      const because = refusal.reason === undefined || refusal.reason === '' ? '' : ` ${refusal.reason}`;
      return decide({
        verdict: 'deny',
        reason: 'handler',
        source: 'approval_cache',
        code: 'remembered_refusal',
        message: `${by} has just refused this very call.${because}`,
      });
    }
    if (grant === undefined) return pass('no grant');
    // A person who saw exactly this call may have understood it; one who allowed all calls of the tool has not seen it.
    if (floor !== undefined && grant.scope !== 'session')
      return pass(`a grant for all calls does not cover this: ${floor.why}`);
    return decide({
      verdict: 'allow',
      reason: 'cache_hit',
      source: 'approval_cache',
      code: 'cache_hit',
      message: 'Allowed: a person approved this before.',
    });
  },
};
