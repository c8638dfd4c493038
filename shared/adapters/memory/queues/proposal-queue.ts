/**
 * Publishes proposals in memory.
 * The queue of an agent knows its sender, as SQS knows it from the credentials.
 */
import type { ProposalQueue } from '../../../ports/agent-side.ts';
import type { Clock, Ids } from '../../../ports/clock.ts';
import type { Incoming } from '../../../use-cases/intake/message.ts';

export function memoryProposalQueue(
  principal: string,
  clock: Clock,
  ids: Ids,
  send: (message: Incoming) => void,
): ProposalQueue {
  return {
    async publish(raw, groupId) {
      send({ messageId: ids.next(), raw, principal, groupId, firstSentAt: clock.now(), rounds: 0 });
    },
  };
}
