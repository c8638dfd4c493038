/** Ends questions whose group the policy file has lost, since nobody could answer them. */
import type { Approval } from '../../contract/index.ts';
import { abandon, currentStage } from '../../domain/approval/approval.ts';
import type { Workflow } from '../../ports/workflow.ts';
import type { ResolveDependencies } from '../approvals/dependencies.ts';
import { unlessUnreadable } from '../approvals/resolution/end-unread.ts';
import { completeWait, updateApproval } from '../approvals/update-approval.ts';
import { recordOf } from '../audit/audit-entry.ts';

/** More are ended by the next runs. */
const MAX_ENDED = 100;

/**
 * One that somebody may answer stays as it is. The row is due from here on until it has its decision, whatever fails. Returns those that could not
 * be ended now.
 */
export async function endAbandoned(
  pids: readonly string[],
  deps: ResolveDependencies & { readonly workflow: Workflow },
): Promise<readonly { readonly pid: string; readonly error: unknown }[]> {
  const failed = await Promise.all(
    pids.slice(0, MAX_ENDED).map((pid) =>
      end(pid, deps).then(
        () => [],
        (error: unknown) => [{ pid, error }],
      ),
    ),
  );
  return failed.flat();
}

async function end(pid: string, deps: Parameters<typeof endAbandoned>[1]): Promise<void> {
  const { approvers } = deps.policy.settings;
  const changed = await updateApproval(
    pid,
    ({ approval }) => abandon(approval, approvers, deps.clock.now()),
    ({ approval }, next) => recordOf(deps, approval, `stage#${next.version}`, { type: 'stage', ...stepOf(approval) }),
    deps,
  ).catch(unlessUnreadable);
  if (changed?.kind === 'changed') await completeWait(pid, deps);
}

function stepOf(approval: Approval) {
  const { group } = currentStage(approval);
  return {
    reasonCode: 'expired',
    detail: `stage ${(approval.stage ?? 0) + 1}, ${group}, which is no longer in the policy file`,
  };
}
