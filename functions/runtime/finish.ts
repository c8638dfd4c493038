/** Wires the dependencies with which `resume` and `reconcile` end approvals. */
import { sqsCardQueue, sqsDeferredQueue, sqsReplySender } from '../../shared/adapters/sqs/outbox.ts';
import type { ResolveDependencies } from '../../shared/use-cases/approvals/dependencies.ts';
import { sqs } from './clients.ts';
import type { Env } from './env.ts';
import { lazyAsync } from './once.ts';
import { registeredSenders } from './senders.ts';
import { shell } from './shell.ts';
import { replyLost, replySent } from './telemetry/observe.ts';
import { baseOf, storesOf } from './wiring.ts';

export const resolveDependencies = lazyAsync(build);

async function build(env: Omit<Env<'resume'>, 'SEAL_KEY'>): Promise<ResolveDependencies> {
  const base = await baseOf(env);
  const senders = registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  return {
    ...base,
    ...storesOf(env),
    shell,
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
    deferred: sqsDeferredQueue(sqs(), env.DEFERRED_QUEUE_URL),
    replies: sqsReplySender(sqs(), senders.replyQueueOf, replyLost, replySent),
  };
}
