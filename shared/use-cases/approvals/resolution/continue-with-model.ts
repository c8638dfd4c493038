/**
 * Goes on with an approval whose run needs a model, where models may be asked.
 * Safe to run twice: what was answered is in the journal.
 */
import type { Workflow } from '../../../ports/workflow.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { completeWait } from '../update-approval.ts';
import { resolveApproval } from './resolve-approval.ts';

interface ContinueDependencies extends ResolveDependencies {
  readonly workflow: Workflow;
}

/** Another question for people is waited for by the execution that waits already; after the decision it is woken to end. */
export async function continueWithModel(pid: string, deps: ContinueDependencies): Promise<void> {
  const { state } = await resolveApproval(pid, deps);
  if (state === 'done') await completeWait(pid, deps, 'decided');
}
