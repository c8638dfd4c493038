/** Reads where an approval is on its way to its end, and lets go of one that is there. */
import { isTerminal } from '../../../domain/approval/approval.ts';
import { UnreadableApprovalError } from '../../../domain/approval/unread-approval.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { endLostRow } from './end-lost-row.ts';
import { endUnread } from './end-unread.ts';
import type { Answered, Decided, Over, Pending } from './resolution-states.ts';

/** A run that decided has told everybody after this, or has stopped. The row is due until it has. */
const NOTIFY_TIMEOUT_MS = 5_000;

/** The state of the row as it is stored. A row that cannot be read ends here once its time is over. */
export async function lookAt(
  pid: string,
  deps: ResolveDependencies,
  isAsleep: boolean,
): Promise<Pending | Answered | Decided | Over> {
  try {
    const view = await deps.approvals.read(pid);
    if (!view) {
      await endLostRow(pid, deps);
      return { kind: 'over', as: 'missing' };
    }
    if (!isTerminal(view.approval.status)) return { kind: 'pending', view };
    const { decision } = view;
    if (!decision) return { kind: 'answered', view };
    // Two clicks are two runs: the one that decided tells everybody, once.
    const isTold = deps.endWait !== undefined && deps.clock.now() - Date.parse(decision.decidedAt) < NOTIFY_TIMEOUT_MS;
    return isTold ? { kind: 'over', as: 'done' } : { kind: 'decided', view, decision };
  } catch (error) {
    const end = error instanceof UnreadableApprovalError ? await endUnread(error.unread, deps) : 'waits';
    if (end === 'waits') throw error;
    if (end === 'unheard') return { kind: 'over', as: 'unheard' };
    if (!isAsleep) await endAndRelease(pid, deps);
    return { kind: 'over', as: 'done' };
  }
}

/** The row stays due until no execution waits for it. */
export async function endAndRelease(pid: string, { endWait, approvals }: ResolveDependencies): Promise<void> {
  await endWait?.(pid);
  await approvals.release(pid);
}
