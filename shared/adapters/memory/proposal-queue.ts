/** Publishes proposals in memory. Who sent is a property of the queue that an agent was handed, as SQS's SenderId is of its credentials. */
import type { ProposalQueue } from '../../ports/agent-side.ts';
import type { Clock, Ids } from '../../ports/clock.ts';

/** One message as it arrives; what `intake` takes. */
export interface SentMessage {
  readonly messageId: string;
  readonly raw: string;
  readonly principal: string;
  readonly groupId?: string | undefined;
  readonly firstSentAt: number;
  /** How often it was put aside before. */
  readonly rounds: number;
  /** Counted in its sender's rate before it was put aside. */
  readonly admitted?: boolean | undefined;
}

export function memoryProposalQueue(
  principal: string,
  clock: Clock,
  ids: Ids,
  send: (message: SentMessage) => void,
): ProposalQueue {
  return {
    async publish(raw, groupId) {
      send({ messageId: ids.next(), raw, principal, groupId, firstSentAt: clock.now(), rounds: 0 });
    },
  };
}
