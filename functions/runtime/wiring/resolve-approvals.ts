/** Wires the dependencies with which `resume` and `reconcile` end approvals. */
import { sqsCardQueue, sqsDeferredQueue } from '../../../shared/adapters/sqs/outbox.ts';
import type { ResolveDependencies } from '../../../shared/use-cases/approvals/dependencies.ts';
import { sqs } from '../clients/sqs.ts';
import type { Env } from '../env.ts';
import { lazyAsync } from '../lazy.ts';
import { shell } from '../lazy-shell-parser.ts';
import { baseOf } from './base.ts';
import { repliesOf } from './replies.ts';
import { registeredSenders } from './senders.ts';
import { storesOf } from './stores.ts';

export const resolveDependencies = lazyAsync(build);

async function build(env: Omit<Env<'resume'>, 'SEAL_KEY'>): Promise<ResolveDependencies> {
  const base = await baseOf(env);
  const senders = registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  const stores = storesOf(env);
  return {
    ...base,
    ...stores,
    shell,
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
    deferred: sqsDeferredQueue(sqs(), env.DEFERRED_QUEUE_URL),
    replies: repliesOf(senders, stores.naming),
  };
}
