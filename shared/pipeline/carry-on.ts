/** Goes on with an approval whose run needs a model, where models may be asked (A18b). Safe to run twice: what was answered is in the journal. */
import type { Workflow } from '../ports/workflow.ts';
import { wake } from './change.ts';
import { finish } from './finish.ts';
import type { FinishGate } from './gate.ts';

export interface CarryOnGate extends FinishGate {
  readonly workflow: Workflow;
}

/** Another question for people is waited for by the execution that waits already; after the decision it is woken to end. */
export async function carryOn(pid: string, gate: CarryOnGate): Promise<void> {
  const { state } = await finish(pid, gate);
  if (state === 'done') await wake(pid, gate);
}
