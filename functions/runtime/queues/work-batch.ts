/** Wires the intake of `evaluate` and `deliberate`, and works their batches. */
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { DynamoRateLimits } from '../../../shared/adapters/dynamodb/guardrails/rate-limits.ts';
import { isCanary } from '../../../shared/domain/canary.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import { withTimeout } from '../../../shared/ports/with-timeout.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import { type IdentifiedAs, intake } from '../../../shared/use-cases/intake/intake.ts';
import type { Incoming } from '../../../shared/use-cases/intake/message.ts';
import { renew } from '../../../shared/use-cases/intake/resend.ts';
import { dynamo } from '../clients/aws.ts';
import type { Env } from '../env.ts';
import { lazyAsync } from '../lazy.ts';
import { shell } from '../shell.ts';
import { addIds } from '../telemetry/about.ts';
import { count, log, logFault } from '../telemetry/observe.ts';
import { accountsAllowed } from '../wiring/accounts-allowed.ts';
import { baseOf, lazySealer } from '../wiring/base.ts';
import { lazyWorkflow } from '../wiring/lazy-workflow.ts';
import { repliesOf } from '../wiring/replies.ts';
import { registeredSenders } from '../wiring/senders.ts';
import { storesOf } from '../wiring/stores.ts';
import { lazyTaskGuard } from '../wiring/task-guardrails.ts';
import { failed, inTurn, type Received, sentAnew } from './last-receipts.ts';
import { lazyDeferred } from './lazy-queues.ts';
import { notingDeferred } from './note-deferred.ts';

/** Given by `deliberate` only, so that no SDK of a model or a hook gets into the bundle of `evaluate`. */
type OutsideOf = (
  base: Pick<IntakeDependencies, 'policy' | 'clock'>,
) => Pick<IntakeDependencies, 'model' | 'models' | 'hooks' | 'asking' | 'taskClassifier'>;

/** Put together once a process; a failed start is tried again with the next batch. */
export const proposalDeps = lazyAsync(build);

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

/** Time kept back to answer the queue before the function's own time is up. */
const RESERVE_MS = 1_500;
/** From this receive on a batch is worked one by one, so that one bad message does not take its mates along. */
const ONE_BY_ONE = 3;

/**
 * Works a batch and names the messages that the queue has to deliver again: failed ones, and ones not finished in time.
 * @param deps - may still be in the making: that is part of the time, too.
 * @param returnToQueue - returns unfinished messages for an early delivery; without it, all of them wait as long as failed ones.
 */
export async function workBatch<Message extends Received>(
  batch: readonly Message[],
  deps: IntakeDependencies | Promise<IntakeDependencies>,
  context: Context,
  returnToQueue?: (unfinished: readonly Message[]) => Promise<void>,
): Promise<SQSBatchResponse> {
  const finished = new Set<Message>();
  const faulty = new Set<Message>();
  const renewed = new Set<Message>();
  const begun = new Set<Message>();
  const deferred = new Set<string>();
  const subjects = new Map<Incoming, IdentifiedAs>();
  let made: IntakeDependencies | undefined;
  let isOver = false;
  const work = async () => {
    const given = notingDeferred(deferred, await deps);
    made = given;
    // A message that comes the third time may be the one that ends the process: such messages go last, and each by itself.
    const { alone = [], together = [] } = Object.groupBy(batch, ({ receiveCount }) =>
      receiveCount >= ONE_BY_ONE ? 'alone' : 'together',
    );
    for (const group of [together, ...alone.toSorted(inTurn).map((one) => [one])]) {
      if (isOver) return;
      for (const message of group) begun.add(message);
      const works = intake(group, given, (message, subject) => {
        subjects.set(message, subject);
        addIds(subject);
      }).map(async (worked, index) => {
        const message = group[index] as Message;
        try {
          await worked;
          finished.add(message);
        } catch (fault) {
          const ids = { ...subjects.get(message), messageId: message.messageId, receiveCount: message.receiveCount };
          if (await renew(message, message.receiveCount, fault, given)) {
            renewed.add(message);
            logFault('a message is sent anew until it can be worked', fault, ids, 'warn');
          } else {
            faulty.add(message);
            logFault('a message could not be worked', fault, ids);
            await failed(message, fault, subjects.get(message), given);
          }
        }
      });
      await Promise.all(works);
    }
  };
  await withTimeout(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS), systemTimers.after, work);
  isOver = true;
  for (const message of await sentAnew(
    batch.filter((one) => !begun.has(one)),
    made,
  ))
    renewed.add(message);

  const returned = batch.filter((message) => !finished.has(message) && !renewed.has(message));
  const unfinished = returned.filter((message) => !faulty.has(message));
  // Alarms compare it with what was refused, of which the canary's calls are no part. A deferred message comes again, and counts then.
  const ofAgents = [...finished].filter(
    (message) => !deferred.has(message.messageId) && !isCanary(subjects.get(message)?.agent),
  );
  count('ProposalsWorked', ofAgents.length);
  if (renewed.size) count('ProposalsRenewed', renewed.size);
  if (returned.length) count('ProposalsReturned', returned.length);
  if (unfinished.length && returnToQueue) {
    const [first] = unfinished;
    const ids = { messageId: first?.messageId ?? '', count: unfinished.length };
    log('warn', 'there was no time for some messages', ids);
    await returnToQueue(unfinished).catch((error: unknown) => logFault('they wait longer', error, ids, 'warn'));
  }
  return {
    batchItemFailures: returned.map(({ messageId, failureId }) => ({ itemIdentifier: failureId ?? messageId })),
  };
}
