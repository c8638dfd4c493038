/**
 * Reclaims permits that a crash, or silence, left in use, each minute with the approvals.
 * Safe to run twice at once.
 */
import type { CallResult } from '../../contract/execution.ts';
import { authError, executionError } from '../../guardrails/settings/errors.ts';
import type { EndedCall, HeldPermit } from '../../ports/stores/permit-store.ts';
import type { ResultStore } from '../../ports/stores/result-store.ts';
import { type CompletionDependencies, completeCall, notifyEnd } from './complete-call.ts';
import { releasePermit } from './consume-permit.ts';
import { isOfRun, namesOf } from './result.ts';

export interface ReclaimDependencies extends CompletionDependencies {
  readonly results: ResultStore;
}

/**
 * Repairs a permit after a crash: a taken permit whose call never began is free again; a call that began and never ended has an unknown outcome. An
 * agent that waits for the gate's result is answered either way.
 */
export async function reclaimPermit(held: HeldPermit, deps: ReclaimDependencies): Promise<void> {
  const { pid, callId } = held;
  const now = deps.clock.now();
  if (held.told) return deps.permits.dropDue(pid, callId);
  if (held.stage !== 'ended' && now < held.reportBy) return deps.permits.setBack(pid, callId, held.reportBy, 0);
  switch (held.stage) {
    case 'taken':
      if (await releasePermit(held, deps)) await interrupted(held, 'refused', now, deps);
      return;
    case 'begun': {
      const known = held.requestId === undefined ? undefined : await deps.results.read(held.agent, pid, held.requestId);
      const startedAt = new Date(held.takenAt).toISOString();
      const ended: EndedCall = isOfRun(known, callId)
        ? { status: known.status, startedAt, durationMs: known.durationMs, reported: true }
        : { status: 'unknown', startedAt, durationMs: Math.max(0, now - held.takenAt), reported: false };
      if (!known && !(await interrupted(held, 'unknown', now, deps))) return;
      await completeCall(held, ended, deps);
      return;
    }
    case 'ended':
      return notifyEnd(held, deps);
    case 'free':
      return deps.permits.dropDue(pid, callId);
    default:
      held.stage satisfies never;
  }
}

/** The agent waits under the id of its request: it hears that the run stopped. False: it has heard something else already. */
async function interrupted(
  held: HeldPermit,
  status: 'refused' | 'unknown',
  now: number,
  deps: ReclaimDependencies,
): Promise<boolean> {
  const { requestId, proposalId, callId, agent, pid, takenAt } = held;
  if (requestId === undefined) return true;
  const error =
    status === 'refused'
      ? authError('interrupted', 'The run stopped before it began. Ask again under another request id.')
      : executionError('The run stopped, and nobody can say whether it took effect.', {
          code: 'Interrupted',
          effect: 'unknown',
        });
  const result: CallResult = {
    ...namesOf({ requestId, proposalId, callId }),
    status,
    permit: status === 'refused' ? 'usable' : 'spent',
    error: error.toToolError(),
    attempts: status === 'refused' ? 0 : 1,
    durationMs: Math.max(0, now - takenAt),
    endedAt: new Date(now).toISOString(),
  };
  return deps.results.put(agent, pid, result);
}
