/** Session rows (D11, D12, D22, A3): read in one batch with the claims, written on the condition that nobody was faster. */
import type { SessionRow } from '../contract/index.ts';
import type { TaskTurn } from './task-conversations.ts';

/** What a decision changes in sessions; joins the transaction that writes the decision (A6). */
export interface SessionWrites {
  /** Each replaces the row of version `version - 1`; of the first version, none. */
  readonly rows: readonly SessionRow[];
  /** Denials to add to the agent's count of this day (A3). */
  readonly denials?: { readonly agent: string; readonly day: string; readonly more: number } | undefined;
  /** What a message to the task agent changes. */
  readonly turn?: TaskTurn | undefined;
}

export const NO_WRITES: SessionWrites = { rows: [] };

export interface SessionStore {
  /** Consistent; undefined if nothing is remembered of it. */
  read(agent: string, sessionId: string): Promise<SessionRow | undefined>;
  /** Consistent: how often the agent was denied on this day, in all its sessions. */
  deniedOn(agent: string, day: string): Promise<number>;
  /** False if another version is stored than `next.version - 1`. */
  write(next: SessionRow): Promise<boolean>;
  /** Sessions of an agent, the latest change first; may lag behind a little. */
  list(agent: string, limit: number): Promise<readonly SessionRow[]>;
}
