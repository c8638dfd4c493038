/**
 * Holds the rows that the memory stores share, as the DynamoDB ones share their two tables.
 * Rows are JSON text: nobody holds a live reference that could change one.
 */
import type { AliasKey } from '../../../domain/record/alias.ts';
import type { CardProblem } from '../../../ports/stores/approval-store.ts';
import { type AuditRecord, familyOf } from '../../../ports/stores/audit-log.ts';
import type { ClaimVerdict } from '../../../ports/stores/claim-store.ts';
import type { Task } from '../../../ports/stores/task-store.ts';
import { type JsonCopy, toCopy } from './json-copy.ts';

export interface ApprovalRow {
  readonly approval: JsonCopy<unknown>;
  readonly version: number;
  /** Beside the approval, so that a row that cannot be read can be ended. */
  readonly counted?: { readonly agent: string; readonly group: string };
  readonly expiresAt?: number;
  readonly decision?: JsonCopy<unknown>;
  readonly isNotified?: true;
  readonly cardProblem?: CardProblem | undefined;
  /** Present while somebody has to look after the row: the sparse index. */
  readonly dueAt?: number;
  /** How often in a row the reconciler could not read it. */
  readonly failures?: number;
}

export interface AuditRow {
  readonly record: JsonCopy<AuditRecord>;
  readonly verdict?: ClaimVerdict;
  readonly contentDigest?: string | null;
}

interface PermitRow {
  readonly permit: JsonCopy<unknown>;
  readonly dueAt?: number | undefined;
  readonly failures?: number;
}

/** The proposal's text, or the digest under which the input store has it; the digest of the sealed original, if there is one. */
type StoredProposal = ({ readonly body: string } | { readonly bodyDigest: string }) & {
  readonly sealed?: string | undefined;
};

/** The tables. Every store method reads, checks and writes them without an await between, which makes it atomic. */
export class MemoryState {
  readonly approvals = new Map<string, ApprovalRow>();
  readonly proposals = new Map<string, StoredProposal>();
  readonly cards = new Map<string, Map<string, JsonCopy<unknown>>>();
  /** By the keys of `memoryCardLists`. */
  readonly cardLists = new Map<string, JsonCopy<unknown>>();
  readonly tokens = new Map<string, JsonCopy<unknown>>();
  readonly journals = new Map<string, Map<string, JsonCopy<unknown>>>();
  readonly waiting = new Map<string, number>();
  /** Pids that follow an approval, and which approval identical calls find. */
  readonly waiters = new Map<string, Set<string>>();
  readonly same = new Map<string, { readonly pid: string; readonly expiresAt: number }>();
  /** By `sessionKey`. */
  readonly sessions = new Map<string, JsonCopy<unknown>>();
  /** Recent calls, by `sessionKey`: beside the rows, which they do not change. */
  readonly recents = new Map<string, JsonCopy<unknown>>();
  /** Denials by agent and day. */
  readonly denied = new Map<string, number>();
  /** By user, newest first. */
  readonly tasks = new Map<string, readonly Task[]>();
  readonly conversations = new Map<string, JsonCopy<unknown>>();
  /** By the pid of the message that ended it. */
  readonly endedQuestions = new Map<string, JsonCopy<unknown>>();
  /** By pid and call. */
  readonly permits = new Map<string, PermitRow>();
  /** By agent, pid and request. */
  readonly results = new Map<string, JsonCopy<unknown>>();
  readonly modelAnswers = new Map<string, { readonly answer: JsonCopy<unknown>; readonly expiresAt: number }>();
  control: JsonCopy<unknown> | undefined;
  delegations: JsonCopy<unknown> | undefined;
  /** By Slack id and by alias. */
  readonly aliasKeys = new Map<string, AliasKey>();
  readonly audit = new Map<string, Map<string, AuditRow>>();

  /** False if the key is taken, and then nothing changes. */
  putRecord(record: AuditRecord, claim: Pick<AuditRow, 'verdict' | 'contentDigest'> = {}): boolean {
    // On AWS an entry of no family is refused to every writer.
    familyOf(record.key.sort);
    const partition = this.auditPartition(record.key.agent, record.key.pid);
    if (partition.has(record.key.sort)) return false;
    // Undefined fields are dropped: the row of the approval is no part of the record.
    partition.set(record.key.sort, { record: toCopy({ ...record, rowDecision: undefined }), ...claim });
    return true;
  }

  hasRecord({ agent, pid, sort }: AuditRecord['key']): boolean {
    return this.recordAt(agent, pid, sort) !== undefined;
  }

  recordAt(agent: string, pid: string, sort: string): AuditRow | undefined {
    return this.audit.get(`${agent}#${pid}`)?.get(sort);
  }

  /** Whether somebody has to look after a row now. */
  isAnyDue(now: number): boolean {
    const isDue = ({ dueAt }: { readonly dueAt?: number | undefined }) => dueAt !== undefined && dueAt <= now;
    return this.approvals.values().some(isDue) || this.permits.values().some(isDue);
  }

  /** Pids of approvals that have no decision. */
  undecided(): string[] {
    return [...this.approvals].flatMap(([pid, { decision }]) => (decision === undefined ? [pid] : []));
  }

  waitingOf(kind: 'agent' | 'group', name: string): number {
    return this.waiting.get(`${kind}#${name}`) ?? 0;
  }

  addWaiting(kind: 'agent' | 'group', name: string, change: 1 | -1): void {
    this.waiting.set(`${kind}#${name}`, this.waitingOf(kind, name) + change);
  }

  private auditPartition(agent: string, pid: string): Map<string, AuditRow> {
    return getOrAdd(this.audit, `${agent}#${pid}`, () => new Map<string, AuditRow>());
  }
}

export function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
