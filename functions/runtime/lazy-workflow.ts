/** Loads the approval workflow with the first wait, and tells of task tokens that are damaged. */
import type { Workflow } from '../../shared/ports/workflow.ts';
import { stepFunctions } from './clients.ts';
import { lazyAsync } from './once.ts';
import { count, log } from './telemetry/observe.ts';

/** Step Functions is loaded with the first wait. */
export function lazyWorkflow(stateMachineArn: string): Workflow {
  const workflow = lazyAsync(async () => {
    const { stepFunctionsWorkflow } = await import('../../shared/adapters/step-functions/workflow.ts');
    return stepFunctionsWorkflow(await stepFunctions(), stateMachineArn, (error) => {
      log('error', 'a stored task token is none of Step Functions', { run: true, fault: error.name });
      count('RepairsFailed');
    });
  });
  return {
    start: async (pid, expiresAt) => (await workflow()).start(pid, expiresAt),
    completeWait: async (token) => (await workflow()).completeWait(token),
  };
}
