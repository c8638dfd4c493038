/** The record in memory: every entry is put once. */
import { auditEntry } from '../../contract/audit-entry.ts';
import { decision } from '../../contract/decision.ts';
import { asStored } from '../../contract/stored.ts';
import { type AuditLog, type AuditRecord, knownFamilyOf, RECORD_FAMILIES } from '../../ports/audit-log.ts';
import { type AuditRow, copyOf, type MemoryState } from './state.ts';

export function memoryAuditLog(state: MemoryState): AuditLog {
  return {
    async put(record) {
      return state.putRecord(record);
    },
    async ofProposal(agent, pid, families = RECORD_FAMILIES) {
      const rows = [...(state.audit.get(`${agent}#${pid}`)?.values() ?? [])];
      return rows
        .map(recordOf)
        .filter(({ key }) => families.some((family) => family === knownFamilyOf(key.sort)))
        .toSorted((a, b) => compare(a.key.sort, b.key.sort))
        .toSorted((a, b) => compare(a.entry.recordedAt, b.entry.recordedAt));
    },
    async recent(agent, limit) {
      const partitions = [...state.audit.values()].flatMap((rows) => [...rows.values()]);
      return partitions
        .map(recordOf)
        .filter(({ key }) => key.agent === agent)
        .toSorted((a, b) => compare(timeOf(b), timeOf(a)))
        .slice(0, limit);
    },
  };
}

/** Read as strictly as from a table: what breaks the contract is found where it is read. */
function recordOf({ record, verdict }: AuditRow): AuditRecord {
  const row = copyOf(record) as AuditRecord;
  return {
    key: row.key,
    entry: asStored(auditEntry).parse(row.entry),
    ...(row.decision ? { decision: asStored(decision).parse(row.decision) } : {}),
    ...(verdict ? { verdict } : {}),
  };
}

const timeOf = ({ key, entry }: AuditRecord): string => `${entry.recordedAt}#${key.pid}#${key.sort}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
