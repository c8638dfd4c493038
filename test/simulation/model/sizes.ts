/** Finds items that the tables would hold, and that are larger than items of their kind may be. */
import type { MemoryState } from '../../../shared/adapters/memory/stores/state.ts';
import type { JournalEntry } from '../../../shared/contract/index.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';

/** Bounds of an entry of the record, and of each further call that it is about. */
export const MAX_ENTRY_BYTES = 4_096;
export const MAX_CALL_BYTES = 512;
export const MAX_JOURNAL_BYTES = 32_768;

/** Items are smaller than their JSON: most need no second look, and no adapter of the tables. */
export async function largeIn({ audit, journals }: MemoryState): Promise<string[]> {
  const large: string[] = [];
  for (const [name, partition] of audit)
    for (const [sort, { record }] of partition) {
      if (record.json.length <= MAX_ENTRY_BYTES) continue;
      const read = JSON.parse(record.json) as AuditRecord;
      const most = MAX_ENTRY_BYTES + MAX_CALL_BYTES * Math.max(0, (read.entry.calls?.length ?? 0) - 1);
      const bytes = await entryBytes(read);
      if (bytes > most) large.push(`the entry ${sort} of ${name} has ${bytes} bytes`);
    }
  for (const [pid, entries] of journals)
    for (const { json } of entries.values()) {
      if (json.length <= MAX_JOURNAL_BYTES) continue;
      const bytes = await journalBytes(pid, JSON.parse(json) as JournalEntry);
      if (bytes > MAX_JOURNAL_BYTES) large.push(`an entry in the journal of ${pid} has ${bytes} bytes`);
    }
  return large;
}

const sized = async () => (await import('../../../shared/adapters/dynamodb/item-size.ts')).itemBytes;

async function entryBytes(record: AuditRecord): Promise<number> {
  const { auditPut } = await import('../../../shared/adapters/dynamodb/audit/audit-item.ts');
  return (await sized())(auditPut({ state: 'state', audit: 'audit' }, record).Item);
}

async function journalBytes(pid: string, entry: JournalEntry): Promise<number> {
  const { journalItem } = await import('../../../shared/adapters/dynamodb/journal-store.ts');
  return (await sized())(journalItem(pid, entry));
}
