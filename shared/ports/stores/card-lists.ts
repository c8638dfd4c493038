/**
 * Stores which waiting calls of an agent share one card.
 *
 * Every change is conditional on the version that was read.
 */

/** The newest cards of one agent in one channel: many at once share a list. */
export interface Burst {
  readonly agent: string;
  readonly channel: string;
  readonly version: number;
  /** When it changed last, in milliseconds. */
  readonly at: number;
  /** Approvals that got a card of their own, with the time in milliseconds; older ones than a minute are dropped. */
  readonly own: readonly { readonly pid: string; readonly at: number }[];
  /** The id of the newest list. */
  readonly list?: string | undefined;
}

/** A message that lists calls, as a picture of their approvals. */
export interface CardList {
  readonly id: string;
  readonly agent: string;
  readonly channel: string;
  readonly version: number;
  /** Approvals in the order in which they came. */
  readonly pids: readonly string[];
  /** When the last one came, in milliseconds. */
  readonly joinedAt: number;
  /** Timestamps of its messages: more than one after a crash between posting and storing. */
  readonly messages: readonly string[];
  /** Counts the drawings that began, so that one which another overtook is drawn again. */
  readonly draws: number;
  /** A digest of what the messages show. */
  readonly drawn?: string | undefined;
}

export interface CardListStore {
  /** May return an older version. A write of the next version then fails, and the read after that returns the stored one. */
  readBurst(agent: string, channel: string): Promise<Burst | undefined>;
  readList(id: string): Promise<CardList | undefined>;
  /** Writes if the stored version is `next.version - 1`, 0 being no row; false if somebody was faster. */
  writeBurst(next: Burst): Promise<boolean>;
  /** As `writeBurst`. */
  writeList(next: CardList): Promise<boolean>;
}
