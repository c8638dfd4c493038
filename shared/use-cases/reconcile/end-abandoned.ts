/** Ends questions whose group the policy file has lost, since nobody could answer them. */
import type { Approval } from '../../contract/index.ts';
import { abandon, currentStage, sinceOf, type Transition } from '../../domain/approval/approval.ts';
import type { Workflow } from '../../ports/workflow.ts';
import type { ResolveDependencies } from '../approvals/dependencies.ts';
import { unlessUnreadable } from '../approvals/resolution/end-unread.ts';
import { completeWait, updateApproval } from '../approvals/update-approval.ts';
import { recordOf } from '../audit/audit-entry.ts';

/** As many are looked at in one run, and the ones after them in the next: one that waits on keeps no other waiting. */
const MAX_LOOKED_AT = 100;
const RUN_MS = 60_000;
/** Longer than a deployment shifts calls, and than its way back takes: meanwhile functions with two policy files ask and answer. */
const SIDE_BY_SIDE_MS = 15 * 60_000;

interface EndingDependencies extends ResolveDependencies {
  readonly workflow: Workflow;
  /** When this process got its policy file, in milliseconds since 1970. A question asked later may name a group of a newer file. */
  readonly policySince: number;
}

/**
 * One that somebody may answer stays as it is. The row is due from here on until it has its decision, whatever fails. Returns those that could not
 * be ended now.
 */
export async function endAbandoned(
  pids: readonly string[],
  deps: EndingDependencies,
): Promise<readonly { readonly pid: string; readonly error: unknown }[]> {
  const failed = await Promise.all(
    turnOf(pids, deps.clock.now()).map((pid) =>
      end(pid, deps).then(
        () => [],
        (error: unknown) => [{ pid, error }],
      ),
    ),
  );
  return failed.flat();
}

/** Each of them has its turn within as many runs as there are hundreds. */
function turnOf(pids: readonly string[], now: number): readonly string[] {
  if (pids.length <= MAX_LOOKED_AT) return pids;
  const first = (Math.floor(now / RUN_MS) * MAX_LOOKED_AT) % pids.length;
  return [...pids.slice(first), ...pids.slice(0, first)].slice(0, MAX_LOOKED_AT);
}

async function end(pid: string, deps: EndingDependencies): Promise<void> {
  const changed = await updateApproval(
    pid,
    ({ approval }) => abandoned(approval, deps),
    ({ approval }, next) => recordOf(deps, approval, `stage#${next.version}`, { type: 'stage', ...stepOf(approval) }),
    deps,
  ).catch(unlessUnreadable);
  if (changed?.kind === 'changed') await completeWait(pid, deps);
}

function abandoned(approval: Approval, { policy, policySince, clock }: EndingDependencies): Transition {
  const [since, now] = [sinceOf(approval), clock.now()];
  if (since >= policySince && now - since < SIDE_BY_SIDE_MS) return { ok: false, refusal: 'not_due' };
  return abandon(approval, policy.settings.approvers, now);
}

function stepOf(approval: Approval) {
  const { group } = currentStage(approval);
  return {
    reasonCode: 'expired',
    detail: `stage ${(approval.stage ?? 0) + 1}, ${group}, which is no longer in the policy file`,
  };
}
