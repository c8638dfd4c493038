/**
 * Publishes proposals in memory.
 * The queue of an agent knows its sender, as SQS knows it from the credentials.
 */
import type { ProposalQueue } from '../../../ports/agent-side.ts';
import type { Clock, Ids } from '../../../ports/clock.ts';

/** One message as it arrives; what `intake` takes. */
export interface SentMessage {
  readonly messageId: string;
  readonly raw: string;
  readonly principal: string;
  readonly groupId?: string | undefined;
  readonly firstSentAt: number;
  /** How often the message was deferred before. */
  readonly rounds: number;
  /** Counted in its sender's rate before it was deferred. */
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
