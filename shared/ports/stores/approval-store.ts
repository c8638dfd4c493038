/**
 * Stores approvals, their cards and their task tokens.
 * Every change is conditional on the version that was read.
 */
import type { Approval, Decision, JournalEntry } from '../../contract/index.ts';
import type { Shown } from '../../domain/approval/shown.ts';
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
  /** The question that it shows; absent on cards of earlier releases, about which silence is no answer. */
  readonly shown?: Shown | undefined;
  /** The id of the list whose message this is: other approvals are on it too. */
  readonly list?: string | undefined;
}

/**
 * Why people do not see a card, or see an old one. `down`: Slack does not answer. `refused`: Slack takes no such card. `cannot_draw`: the row
 * cannot be read or rendered. `in_line`: the agent asked for more cards than may be posted in a minute. `other_workspace`, of the canary's question
 * alone: the app was installed elsewhere, so that every channel of the policy file is gone for it.
 */
export type CardProblem =
  | 'channel_gone'
  | 'not_in_channel'
  | 'token_refused'
  | 'other_workspace'
  | 'missing_scope'
  | 'refused'
  | 'down'
  | 'cannot_draw'
  | 'in_line';

/** Problems after which the request for a card is dropped, so that no card is on its way. */
const SET_ASIDE: ReadonlySet<CardProblem> = new Set(['channel_gone', 'not_in_channel', 'refused', 'cannot_draw']);
export const isSetAside = (problem: CardProblem | undefined): boolean =>
  problem !== undefined && SET_ASIDE.has(problem);

/** A row whose time for a look of the reconciler has come. */
export interface DueApproval {
  readonly pid: string;
  readonly dueAt: number;
  /** How many looks in a row could not read it. */
  readonly failures: number;
  /** True: the row may wait until others were repaired; see `isFirstLook` in `domain/approval/due.ts`. */
  readonly isFirstLook: boolean;
}

export interface ApprovalView {
  readonly approval: Approval;
  /** The proposal as JSON text, without its secrets. */
  readonly proposal: string;
  /** The keyed digest under which the original is sealed, if it holds secrets. */
  readonly sealed?: string | undefined;
  readonly cards: readonly Card[];
  /** Pids of its followers: identical waiting calls that take this approval's answer. */
  readonly waiters: readonly string[];
  /** The terminal answer, once there is one. */
  readonly decision?: Decision | undefined;
  /** Everybody was told of the decision: a further look at the row is for its card alone. */
  readonly isNotified?: true | undefined;
  /** Why its newest card could not be drawn; absent once it was. */
  readonly cardProblem?: CardProblem | undefined;
  /** When the reconciler looks at the row next; absent once it need not. */
  readonly dueAt?: number | undefined;
}

/** A task token, with the time and the try at which its execution entered the wait. Only a token of a later entry replaces it. */
export interface TaskToken {
  readonly token: string;
  readonly enteredAt: string;
  readonly retryCount: number;
}

/** `exists`: the row was decided or changed since it was read. `session_changed`: a session row was. In both cases nothing was written. */
type FinishResult = 'written' | 'exists' | 'session_changed';

export interface ApprovalStore {
  /** Consistent. @throws UnreadableApprovalError if it is there and does not parse, or its proposal is gone. */
  read(pid: string): Promise<ApprovalView | undefined>;
  /**
   * Writes `next` if the stored version is `next.version - 1`, together with the audit record of what caused it.
   * False if somebody was faster, and then nothing was written. `dueAt`: when the reconciler looks at the row next. `journal`: the answer of the
   * round that ended, where another begins.
   */
  write(next: Approval, record: AuditRecord | undefined, dueAt: number, journal?: JournalEntry): Promise<boolean>;
  /** Stores a card under its channel and timestamp, or replaces it, such as with the news that its thread got. */
  addCard(pid: string, card: Card): Promise<void>;
  /** Notes the problem that keeps a card from being drawn; undefined removes it. Does nothing for a row that is not there. */
  noteCardProblem(pid: string, problem: CardProblem | undefined): Promise<void>;
  /** False if a token of a later entry is stored already. */
  storeToken(pid: string, token: TaskToken): Promise<boolean>;
  readToken(pid: string): Promise<TaskToken | undefined>;
  /**
   * Ends the wait, once, if the approval still has the version given. Writes the decided row and the journal entry, frees the slots of waiting
   * questions, and remembers the votes. The reconciler looks again at `dueAt`, in case nobody was notified; see `release`.
   */
  finish(
    approval: Approval,
    record: AuditRecord,
    dueAt: number,
    sessions?: SessionWrites,
    journal?: JournalEntry,
  ): Promise<FinishResult>;
  /** Does the same for a row that cannot be read but whose agent is known. The rest of the row stays as it is. */
  finishUnread(unread: UnreadApproval, record: AuditRecord, dueAt: number): Promise<'written' | 'exists'>;
  /** Marks that everybody was told of the decision: the reconciler looks at the row no more. */
  release(pid: string): Promise<void>;
  /** Marks that the agent and the followers were told of the decision. The row stays due for its cards. */
  markNotified(pid: string): Promise<void>;
  /**
   * Approvals whose `dueAt` has come, oldest first; none where the list has ended. `after`: the last one of the page before. `onFault` is called
   * with the reason why a part could not be listed, and the others are returned; without it the fault is thrown.
   */
  due(
    now: number,
    limit: number,
    after?: DueApproval,
    onFault?: (fault: unknown) => void,
  ): Promise<readonly DueApproval[]>;
  /**
   * Sets when the reconciler looks next. Does nothing and returns false if the row changed since it was read at `version`, or is due no more.
   * `isDecided`: the row held a decision when it was read.
   */
  postpone(pid: string, dueAt: number, version: number, isDecided?: boolean): Promise<boolean>;
  /**
   * Has the reconciler look at `dueAt`, unless it looks before that. `isReleased`: also at a row that is due no more; see `release`. Does nothing
   * for a row that does not exist.
   */
  bringForward(pid: string, dueAt: number, isReleased: boolean): Promise<void>;
  /** Sets the next look at a row that could not be read `failures` times in a row. Does nothing to a row that is due no more. */
  setBack(pid: string, dueAt: number, failures: number): Promise<void>;
  /** Takes the row off the list of due rows, because the approval that it belongs to does not exist. */
  dropDue(pid: string): Promise<void>;
}
