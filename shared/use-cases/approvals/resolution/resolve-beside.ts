/** Decides an approval beside its workflow, which waits meanwhile, and ends that wait. */
import type { Workflow } from '../../../ports/workflow.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { completeWait } from '../update-approval.ts';
import { type ResolvedApproval, resolveApproval } from './resolve-approval.ts';

/**
 * Called by a vote: the workflow takes no step, and pays for none. After a fault it is woken, because it tries again within seconds; @throws the
 * fault, so that it is counted and the caller's queue tries again as well.
 */
export async function resolveBeside(
  pid: string,
  deps: ResolveDependencies & { readonly workflow: Pick<Workflow, 'completeWait'> },
): Promise<ResolvedApproval> {
  try {
    return await resolveApproval(pid, { ...deps, endWait: () => completeWait(pid, deps, 'decided') });
  } catch (error) {
    await completeWait(pid, deps).catch(() => false);
    throw error;
  }
}
