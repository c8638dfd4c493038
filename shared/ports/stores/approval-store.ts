/**
 * Stores approvals, their cards and their task tokens.
 * Every change is conditional on the version that was read.
 */
import type { Approval, Decision, JournalEntry } from '../../contract/index.ts';
import type { UnreadApproval } from '../../domain/approval/unread-approval.ts';
import type { AuditRecord } from './audit-log.ts';
import type { Ran } from './outbox.ts';
import type { SessionWrites } from './session-store.ts';

export interface Card {
  readonly channel: string;
  readonly ts: string;
  /** Keys of the news that its thread has already. */
  readonly said?: readonly string[] | undefined;
  /** Somebody deleted the message, or its channel is closed and asks nobody any more. */
  readonly gone?: true | undefined;
  /** The state of the row that it was last updated to, so that several requests for one state are one update. */
  readonly drawn?: string | undefined;
  /** The outcomes of the calls that ran, for the card to show whenever it is drawn. */
  readonly ran?: readonly Ran[] | undefined;
  /** The id of the list whose message this is: other approvals are on it too. */
  readonly list?: string | undefined;
}

/**
 * Why people do not see a card, or not as it should be. `down`: Slack does not answer; `refused`: Slack takes this one for no card;
 * `cannot_draw`: the row cannot be read or rendered; `in_line`: its agent asked for more cards than are posted a minute.
 */
export type CardProblem =
  | 'channel_gone'
  | 'not_in_channel'
  | 'token_refused'
  | 'missing_scope'
  | 'refused'
  | 'down'
  | 'cannot_draw'
  | 'in_line';

/** Problems of one card alone: its request was set aside, so that none is on its way. */
const SET_ASIDE: ReadonlySet<CardProblem> = new Set(['channel_gone', 'not_in_channel', 'refused', 'cannot_draw']);
export const isSetAside = (problem: CardProblem | undefined): boolean =>
  problem !== undefined && SET_ASIDE.has(problem);

/** A row that somebody has to look after. */
export interface DueApproval {
  readonly pid: string;
  readonly dueAt: number;
  /** How often in a row it could not be read. */
  readonly failures: number;
  /** See `isFirstLook`: it may wait until others were repaired. */
  readonly isFirstLook: boolean;
}

export interface ApprovalView {
  readonly approval: Approval;
  /** The proposal as JSON text, without its secrets. */
  readonly proposal: string;
  /** The keyed digest under which the original is sealed, if it holds secrets. */
  readonly sealed?: string | undefined;
  readonly cards: readonly Card[];
  /** Pids of identical waiting calls that take this one's answer. */
  readonly waiters: readonly string[];
  /** The terminal answer, once there is one. */
  readonly decision?: Decision | undefined;
  /** Everybody was told of it once: if the row is looked at again, it is for its card alone. */
  readonly isNotified?: true | undefined;
  /** The problem that kept its newest card from being drawn; absent once it was. */
  readonly cardProblem?: CardProblem | undefined;
  /** When the reconciler looks at it next; absent once nobody has to. */
  readonly dueAt?: number | undefined;
}

/** A task token with the place in the execution that it belongs to; only a later place overwrites. A later round is entered later. */
export interface TaskToken {
  readonly token: string;
  readonly enteredAt: string;
  readonly retryCount: number;
}

/** `exists`: it was decided, or changed, since it was read; `session_changed`: a session row is another than the one read. Nothing was written then. */
export type FinishResult = 'written' | 'exists' | 'session_changed';

export interface ApprovalStore {
  /** Consistent. @throws UnreadableApprovalError if it is there and does not parse, or its proposal is gone. */
  read(pid: string): Promise<ApprovalView | undefined>;
  /**
   * Writes `next` if the stored version is `next.version - 1`, together with the audit record of what caused it.
   * False if somebody was faster, and then nothing was written. `dueAt`: when the reconciler looks at it next. `journal`: what a round
   * came to, if another begins.
   */
  write(next: Approval, record: AuditRecord | undefined, dueAt: number, journal?: JournalEntry): Promise<boolean>;
  /** Keeps a card by its place, or what its thread was told since. */
  addCard(pid: string, card: Card): Promise<void>;
  /** Notes the problem that keeps a card from being drawn; undefined removes it. Does nothing for a row that is not there. */
  noteCardProblem(pid: string, problem: CardProblem | undefined): Promise<void>;
  /** False if a token of a later place is there already. */
  storeToken(pid: string, token: TaskToken): Promise<boolean>;
  readToken(pid: string): Promise<TaskToken | undefined>;
  /**
   * Puts the decided row once, if the approval still has the version given, and ends the wait: frees its share of the limits on waiting,
   * remembers the votes, and keeps the row in the journal. The reconciler looks again at `dueAt`, in case nobody was notified; see `release`.
   */
  finish(
    approval: Approval,
    record: AuditRecord,
    dueAt: number,
    sessions?: SessionWrites,
    journal?: JournalEntry,
  ): Promise<FinishResult>;
  /** The same for a row that cannot be read, whose agent is known. Nothing else of it changes. */
  finishUnread(unread: UnreadApproval, record: AuditRecord, dueAt: number): Promise<'written' | 'exists'>;
  /** Everybody was told of the decision: nobody has to look after the row any more. */
  release(pid: string): Promise<void>;
  /** The agent and the followers were told of the decision, and the row stays due for its cards. */
  markNotified(pid: string): Promise<void>;
  /**
   * Approvals whose `dueAt` has come, oldest first; `after`: the last of the page before. Empty: there are no more. `onFault` hears why a part of
   * them could not be listed, and the others are given; without it the fault is thrown.
   */
  due(
    now: number,
    limit: number,
    after?: DueApproval,
    onFault?: (fault: unknown) => void,
  ): Promise<readonly DueApproval[]>;
  /**
   * Sets when the reconciler looks next; false, and nothing is done, if the row changed since it was read at `version`, or nobody has to look
   * after it. `isDecided`: the row held a decision then.
   */
  postpone(pid: string, dueAt: number, version: number, isDecided?: boolean): Promise<boolean>;
  /**
   * By key: the reconciler looks at `dueAt`, unless it looks before that. `isReleased`: also at a row that nobody has to look after any more; see
   * `release`. Nothing for a row that is not there.
   */
  bringForward(pid: string, dueAt: number, isReleased: boolean): Promise<void>;
  /** Sets the time of a row that cannot be read, by key: `failures` so far. Does nothing to a row that nobody has to look after. */
  setBack(pid: string, dueAt: number, failures: number): Promise<void>;
  /** Nobody has to look after this row any more: what it belongs to is not there. */
  dropDue(pid: string): Promise<void>;
}
