/** Reads how far the approval workflow of a proposal came. */
import type { Candidate, Step } from './step.ts';

/** `hasHistory`: every transition, which needs a right that no role of the gate has; else its begin and end. */
export async function workflowSteps(
  { pid }: Candidate,
  stateMachine: string | undefined,
  hasHistory: boolean,
): Promise<readonly Step[]> {
  if (stateMachine === undefined) throw new Error('no alarm of the deployment names its state machine');
  const [{ executionEnds, executionHistory }, { stepFunctions }] = await Promise.all([
    import('../../adapters/step-functions/executions.ts'),
    import('../support/clients.ts'),
  ]);
  const read = hasHistory ? executionHistory : executionEnds;
  const events = await read(await stepFunctions(), stateMachine, pid);
  return events.map((event) => ({ ...event, source: 'workflow' }));
}
