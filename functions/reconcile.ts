/** Each minute: repairs what a crash left (A8). */
import { waitingApprovals } from '../shared/adapters/dynamodb/waiting-approvals.ts';
import { reconcile } from '../shared/pipeline/reconcile.ts';
import type { Resumer } from '../shared/ports/workflow.ts';
import { dynamo, lambda } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { finishGate } from './runtime/finish.ts';
import { guardedGate } from './runtime/guarded.ts';
import { count, faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { lazyWorkflow } from './runtime/wiring.ts';

const env = readEnv('reconcile');

/** Lambda's client is loaded with the first approval whose original is sealed. */
const resumer: Resumer = {
  async resume(pid) {
    const { lambdaResumer } = await import('../shared/adapters/lambda/resumer.ts');
    await lambdaResumer(await lambda(), env.RESUME_FUNCTION).resume(pid);
  },
};

export const handler = observing<unknown, void>(async () => {
  const workflow = lazyWorkflow(env.STATE_MACHINE_ARN);
  const gate = { ...(await guardedGate(env)), ...(await finishGate(env)), workflow, resumer };
  const { looked, failed } = await reconcile(gate);
  for (const { pid, error } of failed)
    logger.error('an approval could not be repaired', { pid, fault: faultName(error) });
  count('ApprovalsLookedAfter', looked);
  count('ApprovalsWaiting', await waitingApprovals(dynamo(), env.STATE_TABLE));
  if (failed.length) count('RepairsFailed', failed.length);
});
