/** Describes a message of the proposals queue, and its sender. */
import type { ReadProposal } from '../../domain/proposal/read-proposal.ts';
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
  /** How often the message was deferred before. */
  readonly rounds: number;
  /** True: the sender's rate counted the message before it was deferred. */
  readonly admitted?: boolean | undefined;
  /** True: the message was deferred for a model or a hook. */
  readonly isSlow?: boolean | undefined;
}

export interface Identified {
  readonly incoming: Incoming;
  readonly read: ReadProposal;
  /** Undefined where no agent is registered for the sender. */
  readonly agent: string | undefined;
  readonly subject: Subject;
  readonly startedAt: number;
}
