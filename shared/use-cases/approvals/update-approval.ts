/** Changes an approval row by a consistent read and a conditional write, a few times. */
import type { Approval } from '../../contract/index.ts';
import type { Transition } from '../../domain/approval/approval.ts';
import { isTerminal } from '../../domain/approval/approval.ts';
import { nextChangeAt } from '../../domain/approval/due.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApprovalStore, ApprovalView } from '../../ports/stores/approval-store.ts';
import type { AuditRecord } from '../../ports/stores/audit-log.ts';
import type { Workflow } from '../../ports/workflow.ts';
import { CONFLICT, retryOnConflict } from '../retry-on-conflict.ts';

/**
 * The reconciler looks at a row again this long after a change. The process that changed it may stop before it wakes the workflow or asks
 * for cards; nobody would then see the next stage.
 */
const AFTER_CHANGE_MS = 60_000;

type Changed =
  | { readonly kind: 'changed'; readonly view: ApprovalView; readonly approval: Approval }
  | { readonly kind: 'refused'; readonly view: ApprovalView; readonly refusal: string }
  | { readonly kind: 'missing' };

/**
 * When the reconciler has to look at a row that is changed now. `dueAt`: the look that is planned already. A planned look that is early enough
 * stays, because each move costs two writes of the index.
 */
export function dueAfter(row: Approval, now: number, dueAt: number | undefined): number {
  const wanted = isTerminal(row.status) ? now + AFTER_CHANGE_MS : Math.min(now + AFTER_CHANGE_MS, nextChangeAt(row));
  return dueAt !== undefined && now < dueAt && dueAt < wanted ? dueAt : wanted;
}

/**
 * Applies `transition` to the stored row. A caller that has just read the row passes it as `known`, which saves the first read; the write still
 * depends on the version. Throws if others were faster five times: the caller's message is received again.
 */
export async function updateApproval(
  pid: string,
  transition: (view: ApprovalView) => Transition,
  recordOf: (view: ApprovalView, next: Approval) => AuditRecord | undefined,
  deps: { readonly approvals: ApprovalStore; readonly clock: Clock },
  known?: ApprovalView,
): Promise<Changed> {
  return retryOnConflict(
    'the approval kept changing while it was written',
    async (count): Promise<Changed | typeof CONFLICT> => {
      const view = count === 0 && known ? known : await deps.approvals.read(pid);
      if (!view) return { kind: 'missing' };
      const result = transition(view);
      if (!result.ok) return { kind: 'refused', view, refusal: result.refusal };
      // An edited row might lead to another question until its decision is written; then no write succeeds any more.
      if (view.decision) return { kind: 'refused', view, refusal: 'already_decided' };
      const written = await deps.approvals.write(
        result.next,
        recordOf(view, result.next),
        dueAfter(result.next, deps.clock.now(), view.dueAt),
      );
      return written ? { kind: 'changed', view, approval: result.next } : CONFLICT;
    },
  );
}

/** Wakes the workflow of a row that ended or was decided; if that fails, the reconciler does it. False if there was nothing to wake. */
export async function completeWait(
  pid: string,
  deps: { readonly approvals: Pick<ApprovalStore, 'readToken'>; readonly workflow: Pick<Workflow, 'completeWait'> },
  as: 'answered' | 'decided' = 'answered',
): Promise<boolean> {
  const stored = await deps.approvals.readToken(pid);
  return stored !== undefined && (await deps.workflow.completeWait(stored.token, as)) === 'woken';
}
