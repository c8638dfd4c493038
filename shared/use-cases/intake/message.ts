/** A message of the proposals queue, and who it is from. */
import type { ReadProposal } from '../../domain/read-proposal.ts';
import type { Subject } from '../audit/audit-entry.ts';

/** One message as the queue delivers it. */
export interface Incoming {
  readonly messageId: string;
  readonly raw: string;
  /** SQS's SenderId, or that of the wrapper of a deferred message. */
  readonly principal: string;
  readonly groupId?: string | undefined;
  /** Milliseconds since 1970, from the queue. */
  readonly firstSentAt: number;
  /** How often the message was put aside before. */
  readonly rounds: number;
  /** Counted in its sender's rate before it was put aside. */
  readonly admitted?: boolean | undefined;
  /** Put aside for a model or a hook. */
  readonly isSlow?: boolean | undefined;
}

export interface Identified {
  readonly incoming: Incoming;
  readonly read: ReadProposal;
  /** Undefined: the sender is registered as nobody. */
  readonly agent: string | undefined;
  readonly subject: Subject;
  readonly startedAt: number;
}
