/** Stores session rows: read in one batch with the claims, written if nobody was faster. */
import type { SessionRow } from '../../contract/index.ts';
import type { Control } from './control.ts';
import type { TaskTurn } from './task-conversations.ts';

/** The changes of a decision to sessions; joins the transaction that writes the decision. */
export interface SessionWrites {
  /** Each replaces the row of version `version - 1`; a row of version 1 replaces none. */
  readonly rows: readonly SessionRow[];
  /**
   * Rows of which only the recent calls changed, with the version that was read. Another version at the time of the decision means that the
   * session changed. The recent calls are stored beside the row, without a condition: of two writes at once one may be lost. Only a model is
   * told of them, and no verdict of rules depends on them.
   */
  readonly recents?: readonly SessionRow[] | undefined;
  /** Denials to add to the agent's count of this day. */
  readonly denials?: { readonly agent: string; readonly day: string; readonly more: number } | undefined;
  /** The changes of a message to the task agent. */
  readonly turn?: TaskTurn | undefined;
}

export const NO_WRITES: SessionWrites = { rows: [] };

/** The state that a decision depends on besides its proposal and its rules. */
export interface SessionView {
  readonly control: Control;
  /** By `sessionKey`; a session without a stored row is absent. */
  readonly sessions: ReadonlyMap<string, SessionRow>;
  /** By agent: the denials of the day that was asked about. */
  readonly denials: ReadonlyMap<string, number>;
}

export interface SessionName {
  readonly agent: string;
  readonly sessionId: string;
  /** True: the calls beside its row are not read, because no model is told of them. */
  readonly withoutRecent?: boolean | undefined;
  /** True: the denials of its agent are not read for it, because none can count or few decisions need them. */
  readonly withoutDenials?: boolean | undefined;
}

export interface SessionStore {
  /** One batched consistent read: these sessions, the denials of their agents on `day` where they are wanted, the emergency brake. */
  readTogether(sessions: readonly SessionName[], day: string): Promise<SessionView>;
  /** Consistent; undefined if nothing is remembered of it. */
  read(agent: string, sessionId: string): Promise<SessionRow | undefined>;
  /** Consistent: how often the agent was denied on this day, in all its sessions. */
  deniedOn(agent: string, day: string): Promise<number>;
  /** False if another version is stored than `next.version - 1`. */
  write(next: SessionRow): Promise<boolean>;
  /** Sessions of an agent that can be read, the latest change first; may lag behind a little. */
  list(agent: string, limit: number): Promise<readonly SessionRow[]>;
}
