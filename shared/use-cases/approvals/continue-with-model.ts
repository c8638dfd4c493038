/** Goes on with an approval whose run needs a model, where models may be asked. Safe to run twice: what was answered is in the journal. */
import type { Workflow } from '../../ports/workflow.ts';
import type { FinishGate } from './dependencies.ts';
import { finish } from './resolve-approval.ts';
import { wake } from './update-approval.ts';

export interface CarryOnGate extends FinishGate {
  readonly workflow: Workflow;
}

/** Another question for people is waited for by the execution that waits already; after the decision it is woken to end. */
export async function carryOn(pid: string, gate: CarryOnGate): Promise<void> {
  const { state } = await finish(pid, gate);
  if (state === 'done') await wake(pid, gate);
}
