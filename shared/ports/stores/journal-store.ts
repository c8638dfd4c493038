/** Stores the journal of a proposal (A16): at most 64 entries, put once under place and round. */
import type { JournalEntry } from '../../contract/index.ts';

export interface JournalStore {
  read(pid: string): Promise<readonly JournalEntry[]>;
  /** False if the place has an entry of this round already, and then nothing changes. */
  append(pid: string, entry: JournalEntry): Promise<boolean>;
}
