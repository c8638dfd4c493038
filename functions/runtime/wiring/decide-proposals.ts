/** Wires the dependencies with which `evaluate` and `deliberate` decide proposals. */
import { DynamoRateLimits } from '../../../shared/adapters/dynamodb/guardrails/rate-limits.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import { dynamo } from '../clients/aws.ts';
import type { Env } from '../env.ts';
import { lazyAsync } from '../lazy.ts';
import { shell } from '../lazy-shell-parser.ts';
import { lazyDeferred } from '../queues/lazy-queues.ts';
import { accountsAllowed } from './accounts-allowed.ts';
import { baseOf, lazySealer } from './base.ts';
import { lazyWorkflow } from './lazy-workflow.ts';
import { repliesOf } from './replies.ts';
import { registeredSenders } from './senders.ts';
import { storesOf } from './stores.ts';
import { lazyTaskGuard } from './task-guardrails.ts';

/** Given by `deliberate` only, so that no SDK of a model or a hook gets into the bundle of `evaluate`. */
type OutsideOf = (
  base: Pick<IntakeDependencies, 'policy' | 'clock'>,
) => Pick<IntakeDependencies, 'model' | 'models' | 'hooks' | 'asking' | 'taskClassifier'>;

/** Put together once a process; a failed start is tried again with the next batch. */
export const proposalDependencies = lazyAsync(build);

async function build(env: Env<'evaluate'>, outsideOf?: OutsideOf): Promise<IntakeDependencies> {
  const base = await baseOf(env);
  const senders = registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  const stores = storesOf(env);
  return {
    ...base,
    ...stores,
    shell,
    sealer: lazySealer(env),
    ...outsideOf?.(base),
    taskGuardrails: lazyTaskGuard(env.STATE_TABLE),
    agents: senders.agents,
    accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED),
    workflow: lazyWorkflow(env.STATE_MACHINE_ARN),
    rates: new DynamoRateLimits({ client: dynamo(), table: env.STATE_TABLE, now: base.clock.now }),
    deferred: lazyDeferred(env.DEFERRED_QUEUE_URL),
    replies: repliesOf(senders, stores.naming),
  };
}
