/** What `resume` and `reconcile` end approvals with. */
import { sqsCardQueue, sqsReplySender } from '../../shared/adapters/sqs/outbox.ts';
import type { FinishGate } from '../../shared/pipeline/gate.ts';
import { sqs } from './clients.ts';
import type { Env } from './env.ts';
import { registeredSenders } from './senders.ts';
import { baseOf, shell, storesOf } from './wiring.ts';

let gate: Promise<FinishGate> | undefined;

export function finishGate(env: Env<'resume'>): Promise<FinishGate> {
  gate ??= build(env).catch((error: unknown) => {
    gate = undefined;
    throw error;
  });
  return gate;
}

async function build(env: Env<'resume'>): Promise<FinishGate> {
  const base = await baseOf(env);
  const senders = registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  return {
    ...base,
    ...storesOf(env),
    shell,
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
    replies: sqsReplySender(sqs(), senders.replyQueueOf),
  };
}
