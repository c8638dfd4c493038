/** Works messages that need a model or a hook within their agent's share; messages beyond it wait. */
import { readProposal } from '../../domain/proposal/read-proposal.ts';
import type { SlotStore } from '../../ports/stores/guardrail-state.ts';
import type { DeferredMessage } from '../../ports/stores/outbox.ts';
import { DELIBERATIONS_SHARE, withinShare } from '../fair-share.ts';
import { resolveSender } from '../identity.ts';
import { withMarkedFaults } from '../port-faults.ts';
import type { IntakeDependencies } from './dependencies.ts';
import { isOver } from './expiry.ts';
import { delayByAge } from './resend.ts';

/**
 * Runs `work` within the agent's share. Resolves to its value, or to undefined where the message waits for its turn. A fault of a store on the
 * way is marked as one of the outside, which the caller waits out.
 */
export async function deliberateFairly<Value>(
  message: DeferredMessage,
  deps: IntakeDependencies,
  slots: SlotStore,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  const { agents, deferred } = withMarkedFaults(deps);
  const agent = message.isSlow ? await resolveSender(message.principal, agents, deps) : undefined;
  if (agent === undefined) return work();
  let value: Value | undefined;
  const run = { agent, messageId: message.messageId };
  const isDone = await withinShare(DELIBERATIONS_SHARE, run, withMarkedFaults({ slots }).slots, async () => {
    value = await work();
  });
  if (isDone) return value;
  const now = deps.clock.now();
  if (hasEnded(message, now, deps)) return work();
  await deferred.defer(message, delayByAge(message, now));
  return undefined;
}

/** Whether the wait for a share is over: the message is answered `expired` then (A12), which asks no model and takes no time. */
function hasEnded(message: DeferredMessage, now: number, deps: IntakeDependencies): boolean {
  const read = readProposal(message.raw, now);
  return !read.ok || isOver(read.proposal, message, now, deps);
}
