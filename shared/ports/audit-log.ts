/** The record (G35, G38, G39): every entry is put once under a key of its own. */
import type { AuditEntry, Decision } from '../contract/index.ts';

export interface AuditKey {
  /** The partition: `<agent>#<pid>`. */
  readonly agent: string;
  readonly pid: string;
  /** `evaluated`, `decided`, `click#…`, `refused#…`; unique within the partition. */
  readonly sort: string;
}

export interface AuditRecord {
  readonly key: AuditKey;
  readonly entry: AuditEntry;
  /** On `evaluated` and `decided`: the answer that the agent reads (A13). */
  readonly decision?: Decision | undefined;
}

export interface AuditLog {
  /** Puts one entry; false if the key is taken, and then nothing changes. */
  put(record: AuditRecord): Promise<boolean>;
  /** All entries of one proposal, oldest first. */
  ofProposal(agent: string, pid: string): Promise<readonly AuditRecord[]>;
  /** The newest entries of an agent, newest first. */
  recent(agent: string, limit: number): Promise<readonly AuditRecord[]>;
}
