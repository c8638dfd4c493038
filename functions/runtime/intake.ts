/** What `evaluate` and `deliberate` share: the gate they decide with, and how a batch is worked. */
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { DynamoRateLimits } from '../../shared/adapters/dynamodb/guardrails/rate-limits.ts';
import { sqsDeferredQueue, sqsReplySender } from '../../shared/adapters/sqs/outbox.ts';
import { MOST_RECEIPTS } from '../../shared/config/defaults.ts';
import type { IntakeGate } from '../../shared/pipeline/gate.ts';
import type { Incoming } from '../../shared/pipeline/incoming.ts';
import { intake } from '../../shared/pipeline/intake.ts';
import { recordSetAside } from '../../shared/pipeline/set-aside.ts';
import { accountsAllowed } from './accounts.ts';
import { dynamo, sqs } from './clients.ts';
import type { Env } from './env.ts';
import { count, faultName, logger } from './observe.ts';
import { onceResolved } from './once.ts';
import { registeredSenders } from './senders.ts';
import { lazyTaskGuard } from './task-guard.ts';
import { baseOf, lazySealer, lazyWorkflow, shell, storesOf } from './wiring.ts';

/** Given by `deliberate` only, so that no SDK of a model or a hook gets into the bundle of `evaluate`. */
type OutsideOf = (
  base: Pick<IntakeGate, 'policy' | 'clock'>,
) => Pick<IntakeGate, 'model' | 'models' | 'hooks' | 'taskClassifier'>;

/** Put together once a process; a failed start is tried again with the next batch. */
export const proposalGate = onceResolved(build);

async function build(env: Env<'evaluate'>, outsideOf?: OutsideOf): Promise<IntakeGate> {
  const base = await baseOf(env);
  const senders = registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  return {
    ...base,
    ...storesOf(env),
    shell,
    sealer: lazySealer(env),
    ...outsideOf?.(base),
    taskGuard: lazyTaskGuard(env.STATE_TABLE),
    agents: senders.agents,
    accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED),
    workflow: lazyWorkflow(env.STATE_MACHINE_ARN),
    rates: new DynamoRateLimits({ client: dynamo(), table: env.STATE_TABLE, now: base.clock.now }),
    deferred: sqsDeferredQueue(sqs(), env.DEFERRED_QUEUE_URL),
    replies: sqsReplySender(sqs(), senders.replyQueueOf),
  };
}

type Received = Incoming & {
  readonly receiveCount: number;
  /** What the queue calls the message, if it is not `messageId`. */
  readonly failureId?: string;
};

/** Time kept back to answer the queue before the function's own time is up. */
const RESERVE_MS = 1_500;
/** From this receive on a batch is worked one by one, so that one bad message does not take its mates along (A11). */
const ONE_BY_ONE = 3;

/** Works a batch and names what the queue has to deliver again: what failed, and what was not finished in time. */
export async function workBatch(
  batch: readonly Received[],
  gate: IntakeGate,
  context: Context,
): Promise<SQSBatchResponse> {
  const finished = new Set<Received>();
  const work = async () => {
    const groups = batch.some(({ receiveCount }) => receiveCount >= ONE_BY_ONE) ? batch.map((one) => [one]) : [batch];
    for (const group of groups) {
      const results = await settled(group, gate);
      for (const [index, message] of group.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled') finished.add(message);
        else await failed(message, faultName(result?.reason), gate);
      }
    }
  };
  const { promise: deadline, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
  await Promise.race([work(), deadline]).finally(() => clearTimeout(timer));

  const returned = batch.filter((message) => !finished.has(message));
  count('ProposalsWorked', finished.size);
  if (returned.length) count('ProposalsReturned', returned.length);
  return {
    batchItemFailures: returned.map(({ messageId, failureId }) => ({ itemIdentifier: failureId ?? messageId })),
  };
}

/** It comes again; after its last receipt the record says where it went, if the record can be written. */
async function failed({ messageId, receiveCount }: Received, fault: string, gate: IntakeGate): Promise<void> {
  logger.error('a message could not be worked', { fault, messageId, receiveCount });
  if (receiveCount >= MOST_RECEIPTS) await recordSetAside({ messageId, fault }, gate).catch(() => undefined);
}

/** A failure before the messages are told apart is a failure of each. */
async function settled(group: readonly Received[], gate: IntakeGate): Promise<PromiseSettledResult<void>[]> {
  try {
    return await intake(group, gate);
  } catch (reason) {
    return group.map(() => ({ status: 'rejected', reason }));
  }
}
