/** Each minute: repairs what a crash left (A8). */
import { reconcile } from '../shared/pipeline/reconcile.ts';
import { readEnv } from './runtime/env.ts';
import { finishGate } from './runtime/finish.ts';
import { count, faultName, logger, publishMetrics } from './runtime/observe.ts';
import { lazyWorkflow } from './runtime/wiring.ts';

const env = readEnv('reconcile');

export async function handler(): Promise<void> {
  const workflow = lazyWorkflow(env.STATE_MACHINE_ARN);
  const { looked, failed } = await reconcile({ ...(await finishGate(env)), workflow });
  for (const { pid, error } of failed)
    logger.error('an approval could not be repaired', { pid, fault: faultName(error) });
  count('ApprovalsLookedAfter', looked);
  if (failed.length) count('RepairsFailed', failed.length);
  publishMetrics();
}
