/** Has the reconciler end permits whose holders say nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import { isPermitDue, permitOverdue } from '../../e2e/harness/damage.ts';
import { invoke } from '../../e2e/harness/functions.ts';

/** A few looks; on a busy machine one takes many seconds. */
export const REPAIRED_MS = 120_000;

/** The reconciler, as its schedule calls it, until it has done `what`. */
export async function reconciled(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + REPAIRED_MS; !(await isDone()); ) {
    if (Date.now() > until) throw new Error(`the reconciler has not done ${what} in ${REPAIRED_MS} ms`);
    const { error } = await invoke('reconcile', {});
    if (error !== undefined) await delay(200);
  }
}

/** The permit's holder had to report by now: the reconciler ends it. */
export const permitEnded = (pid: string): Promise<void> =>
  reconciled(`the end of a run of ${pid}`, async () => {
    if (!(await isPermitDue(pid))) return true;
    await permitOverdue(pid);
    return false;
  });
