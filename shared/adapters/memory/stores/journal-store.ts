/** Journals in memory: an entry is put once under its place and round. */
import { type JournalEntry, journalEntry } from '../../../contract/journal-entry.ts';
import { asStored } from '../../../contract/stored.ts';
import type { JournalStore } from '../../../ports/stores/journal-store.ts';
import { type JsonCopy, readCopy, toCopy } from './json-copy.ts';
import { getOrAdd, type MemoryState } from './state.ts';

export function appendEntry(state: MemoryState, pid: string, entry: JournalEntry): boolean {
  const journal = getOrAdd(state.journals, pid, () => new Map<string, JsonCopy<unknown>>());
  const key = `${String(entry.round).padStart(2, '0')}#${entry.place}`;
  if (journal.has(key)) return false;
  journal.set(key, toCopy(entry));
  return true;
}

export function memoryJournalStore(state: MemoryState): JournalStore {
  return {
    async read(pid) {
      const entries = [...(state.journals.get(pid) ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return entries.map(([, entry]) => readCopy(entry, asStored(journalEntry)));
    },
    async append(pid, entry) {
      return appendEntry(state, pid, entry);
    },
  };
}
