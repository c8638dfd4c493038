/** Stores the record in memory: every entry is put once. */
import * as z from 'zod';
import { auditEntry } from '../../../contract/audit-entry.ts';
import { decision } from '../../../contract/decision.ts';
import { asStored } from '../../../contract/stored.ts';
import { readEach } from '../../../domain/read-each.ts';
import { byNewest, cursorOf, readCursor } from '../../../domain/record/record-cursor.ts';
import { combinationOf, facetsOf, matches } from '../../../domain/record/record-facets.ts';
import { RECORD_FAMILIES } from '../../../domain/record/record-families.ts';
import { compareText } from '../../../domain/text/compare-text.ts';
import {
  type AuditLog,
  type AuditRecord,
  knownFamilyOf,
  positionOf,
  type RecordQuery,
} from '../../../ports/stores/audit-log.ts';
import { readCopy } from './json-copy.ts';
import type { AuditRow, MemoryState } from './state.ts';

export function memoryAuditLog(state: MemoryState): AuditLog {
  const allOf = (agents: readonly string[]) =>
    [...state.audit].flatMap(([partition, rows]) =>
      agents.some((agent) => partition.startsWith(`${agent}#`)) ? [...rows.values()] : [],
    );
  type Within = Pick<RecordQuery, 'agents' | 'since' | 'until' | 'unreadable'>;
  const within = ({ agents, since = '', until = '~', unreadable }: Within) =>
    readEach(allOf(agents), recordOf, unreadable).filter(
      ({ entry }) => entry.recordedAt >= since && entry.recordedAt <= until,
    );
  const ofProposal: AuditLog['ofProposal'] = async (agent, pid, families = RECORD_FAMILIES, unreadable) => {
    const rows = [...(state.audit.get(`${agent}#${pid}`) ?? [])];
    const wanted = rows.flatMap(([sort, row]) => (families.some((one) => one === knownFamilyOf(sort)) ? [row] : []));
    return readEach(wanted, recordOf, unreadable)
      .toSorted((a, b) => compareText(a.key.sort, b.key.sort))
      .toSorted((a, b) => compareText(a.entry.recordedAt, b.entry.recordedAt));
  };
  return {
    async put(record) {
      return state.putRecord(record);
    },
    ofProposal,
    ofFamily: (agent, pid, family) => ofProposal(agent, pid, [family]),
    async find(wanted) {
      const behind = wanted.after === undefined ? undefined : readCursor(wanted.after);
      const { session, ...facets } = wanted;
      const found = within(wanted)
        .filter(({ entry }) => session === undefined || entry.sessionId === session)
        .filter(({ entry }) => matches(facetsOf(entry), facets))
        .filter((record) => behind === undefined || byNewest(positionOf(record), behind) > 0)
        .toSorted((a, b) => byNewest(positionOf(a), positionOf(b)));
      const records = found.slice(0, wanted.limit);
      const last = records.at(-1);
      return { records, ...(last && found.length > records.length ? { next: cursorOf(positionOf(last)) } : {}) };
    },
    async count(wanted) {
      const groups = Map.groupBy(within(wanted), ({ key, entry }) =>
        JSON.stringify([key.agent, combinationOf(facetsOf(entry))]),
      );
      return [...groups.values()].flatMap((records) => {
        const sample = records.toSorted((a, b) => byNewest(positionOf(a), positionOf(b)))[0];
        if (!sample) return [];
        const waitedMs = records.flatMap(({ entry: { type, decidedBy, waitedMs: waited } }) =>
          type === 'decided' && decidedBy?.type === 'human' && waited !== undefined ? [waited] : [],
        );
        return [{ agent: sample.key.agent, sample, count: records.length, waitedMs }];
      });
    },
    async recent(agent, limit, unreadable) {
      return readEach(allOf([agent]), recordOf, unreadable)
        .toSorted((a, b) => compareText(timeOf(b), timeOf(a)))
        .slice(0, limit);
    },
  };
}

/** Read as strictly as from a table: what breaks the contract is found where it is read. */
function recordOf({ record, verdict }: AuditRow): AuditRecord {
  return { ...readCopy(record, storedRecord), ...(verdict ? { verdict } : {}) };
}

const storedRecord = z.object({
  key: z.custom<AuditRecord['key']>(),
  entry: asStored(auditEntry),
  decision: asStored(decision).exactOptional(),
});

const timeOf = ({ key, entry }: AuditRecord): string => `${entry.recordedAt}#${key.pid}#${key.sort}`;
