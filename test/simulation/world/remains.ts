/** Names what is left of a run once nothing happens any more, and how its judges complain. */
import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../../shared/contract/index.ts';
import { withoutGrounds } from '../../../shared/domain/approval/grounds.ts';
import type { ApprovalView } from '../../../shared/ports/stores/approval-store.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import type { PersonName } from '../model/policies.ts';
import type { DeadLetter } from './dead-letters.ts';

/** As an agent reads both: without the grounds that allowed its calls. */
export const isSameAnswer = (one: Decision | undefined, other: Decision | undefined): boolean =>
  isDeepStrictEqual(one && withoutGrounds(one), other && withoutGrounds(other));

/** Notes that a guarantee is broken, and how. */
export type Fail = (guarantee: string, text: string) => void;

/** The state once nothing happens any more. */
export interface Remains {
  readonly proposals: ReadonlyMap<string, Remaining>;
  /** Rows that somebody still has to look after, messages set aside, tokens that wait: by what they are. */
  readonly left: readonly string[];
  /** Places at which a task token, or the secret of an agent, stands and must not. */
  readonly leaks?: { readonly tokens: readonly string[]; readonly secrets: readonly string[] };
  /** Refused clicks on approvals that the gate knew no more, of which the record can name no proposal. */
  readonly strays?: readonly AuditRecord[];
  /** Findings in the archive of the record. */
  readonly archive?: readonly string[];
  /** Questions of the canary that people were shown. */
  readonly bothered?: readonly string[];
  /** Messages that were set aside. */
  readonly letters?: readonly DeadLetter[];
  /** Tasks and replies of the task agent. */
  readonly chat?: ChatLeft;
  /** The same of messages over the queues of agents. */
  readonly asks?: AsksLeft;
  /** Items of the tables that are larger than they may be. */
  readonly large?: readonly string[];
}
/** The tasks of each person who spoke, and replies in their channel, the oldest first. */
export type ChatLeft = ReadonlyMap<
  PersonName,
  {
    readonly tasks: readonly string[];
    readonly replies: readonly string[];
    /** When each question was shown that still has its buttons; a copy, as a crash leaves one, is not among them. */
    readonly open: readonly number[];
    /** Whether they were told that a message of theirs was set aside. */
    readonly isSetAside: boolean;
  }
>;

/** Tasks by agent and user, and how many decisions each message has. */
export interface AsksLeft {
  readonly tasks: ReadonlyMap<string, readonly string[]>;
  readonly ends: ReadonlyMap<string, number>;
}

export interface Remaining {
  readonly read: AuditRecord['decision'];
  readonly records: readonly AuditRecord[];
  readonly view: ApprovalView | undefined;
  /** Decisions that the agent's own queue was sent. */
  readonly replies: readonly Decision[];
  /** How often its row was looked at and left as it was. */
  readonly looks?: number;
  /** Whether people saw a card of it. */
  readonly isShown: boolean;
}
