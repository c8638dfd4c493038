/** Wires permits, results and guardrails for functions that run approved calls or admit runs. */
import { dynamoPermitStore } from '../../../shared/adapters/dynamodb/proposals/permit-store.ts';
import { dynamoResultStore } from '../../../shared/adapters/dynamodb/proposals/result-store.ts';
import { sqsCardQueue } from '../../../shared/adapters/sqs/outbox.ts';
import { GuardedCalls } from '../../../shared/guardrails/guarded-calls.ts';
import { secretsIn } from '../../../shared/guardrails/scrub.ts';
import type { FindTool } from '../../../shared/guardrails/settings/call.ts';
import type { ReclaimDependencies } from '../../../shared/use-cases/execution/reclaim-permit.ts';
import { dynamo } from '../clients/aws.ts';
import { sqs } from '../clients/sqs.ts';
import type { Env } from '../env.ts';
import { lazyAsync } from '../lazy.ts';
import { shell } from '../lazy-shell-parser.ts';
import { baseOf, lazyUnsealer } from './base.ts';
import { guardrailPartsOf } from './guardrail-parts.ts';
import { storesOf } from './stores.ts';

/** Put together once a process: the guardrails remember refusals and hold queues. */
export const guardedDependencies = lazyAsync(build);

/** Only those who run calls, or let them run, have the key of what was sealed. */
type GuardedEnv = Omit<Env<'redeem'>, 'SEAL_KEY'> & Partial<Pick<Env<'redeem'>, 'SEAL_KEY'>>;

async function build(env: GuardedEnv, findTool: FindTool = () => undefined): Promise<ReclaimDependencies> {
  const base = await baseOf(env);
  const parts = guardrailPartsOf(env.STATE_TABLE);
  const tables = { state: env.STATE_TABLE, audit: env.AUDIT_TABLE };
  const config = base.policy.guardrails;
  const { SEAL_KEY } = env;
  return {
    ...base,
    ...storesOf(env),
    permits: dynamoPermitStore(dynamo(), tables),
    results: dynamoResultStore(dynamo(), tables),
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
    shell,
    unsealer: SEAL_KEY === undefined ? undefined : lazyUnsealer({ STATE_TABLE: env.STATE_TABLE, SEAL_KEY }),
    runtime: parts.runtime,
    guardrails: new GuardedCalls({ ...parts, config, findTool, agentShare: true }, secretsIn),
  };
}
