/** Loads the approval workflow with the first wait, and tells of task tokens that are damaged. */
import type { Workflow } from '../../../shared/ports/workflow.ts';
import { stepFunctions } from '../clients/aws.ts';
import { lazyAsync } from '../lazy.ts';
import { count, log } from '../telemetry/observe.ts';

const loaded = lazyAsync(() => import('../../../shared/adapters/step-functions/workflow.ts'));

export function lazyWorkflow(stateMachineArn: string): Workflow {
  const workflow = lazyAsync(async () =>
    (await loaded()).stepFunctionsWorkflow(stepFunctions(), stateMachineArn, tellOfDamage),
  );
  return {
    start: async (pid, expiresAt) => (await workflow()).start(pid, expiresAt),
    completeWait: async (token, as) => (await workflow()).completeWait(token, as),
  };
}

/** For a function that starts no execution. */
export function lazyWaits(): Pick<Workflow, 'completeWait'> {
  const waits = lazyAsync(async () => (await loaded()).stepFunctionsWaits(stepFunctions(), tellOfDamage));
  return { completeWait: async (token, as) => (await waits()).completeWait(token, as) };
}

function tellOfDamage(error: Error): void {
  log('error', 'a stored task token is none of Step Functions', { run: true, fault: error.name });
  count('RepairsFailed');
}
