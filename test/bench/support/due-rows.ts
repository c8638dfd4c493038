/**
 * Plays approval rows as the reconciler sees them, in virtual time.
 *
 * Lists have DynamoDB's limits, and each call has a latency.
 */
import type { Approval } from '../../../shared/contract/index.ts';
import { isFirstLook } from '../../../shared/domain/approval/due.ts';
import type { ApprovalStore, Card, DueApproval } from '../../../shared/ports/stores/approval-store.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Bytes that a list reads at most in one request, and bytes of a row in the index: its keys and three small attributes. */
const PAGE_BYTES = 1024 * 1024;
const ROW_BYTES = 350;

interface Latencies {
  readonly list: number;
  readonly read: number;
  readonly write: number;
  readonly transaction: number;
}

interface Row {
  approval: Approval;
  dueAt: number | undefined;
  readonly cards: Card[];
}

export class DueRows {
  readonly rows = new Map<string, Row>();
  /** Told of each change of a row: before, after. */
  onWrite: (before: Approval, after: Approval) => void = () => undefined;
  writes = 0;
  reads = 0;
  /** By the second in which they are due. */
  readonly #seconds = new Map<number, Bucket>();
  readonly #time: VirtualTime;
  readonly #latencies: Latencies;

  constructor(time: VirtualTime, latencies: Latencies) {
    this.#time = time;
    this.#latencies = latencies;
  }

  add(approval: Approval, dueAt: number): void {
    this.rows.set(approval.pid, { approval, dueAt: undefined, cards: [] });
    this.setDue(approval.pid, dueAt);
  }

  setDue(pid: string, dueAt: number | undefined): void {
    const row = this.rows.get(pid);
    if (!row) return;
    row.dueAt = dueAt;
    if (dueAt === undefined) return;
    const second = Math.floor(dueAt / 1_000);
    const bucket = this.#seconds.get(second);
    if (!bucket) this.#seconds.set(second, { entries: [{ pid, dueAt }], isSorted: true });
    else {
      bucket.entries.push({ pid, dueAt });
      bucket.isSorted = false;
    }
  }

  readonly store: ApprovalStore = {
    read: async (pid) => {
      this.reads += 1;
      await this.#time.sleep(this.#latencies.read);
      const row = this.rows.get(pid);
      return row && { approval: row.approval, proposal: '{}', cards: row.cards, waiters: [] };
    },
    write: async (next, _record, dueAt) => {
      this.writes += 1;
      await this.#time.sleep(this.#latencies.transaction);
      const row = this.rows.get(next.pid);
      if (!row || row.approval.version !== next.version - 1) return false;
      this.onWrite(row.approval, next);
      row.approval = next;
      this.setDue(next.pid, dueAt);
      return true;
    },
    readToken: async () => {
      this.reads += 1;
      await this.#time.sleep(this.#latencies.read);
      return { token: 'token', enteredAt: new Date(0).toISOString(), retryCount: 0 };
    },
    due: async (now, limit, after) => {
      await this.#time.sleep(this.#latencies.list);
      return this.#list(now, Math.min(limit, Math.floor(PAGE_BYTES / ROW_BYTES)), after);
    },
    postpone: async (pid, dueAt, version) => {
      this.writes += 1;
      await this.#time.sleep(this.#latencies.write);
      const row = this.rows.get(pid);
      if (row?.dueAt === undefined || row.approval.version !== version) return false;
      this.setDue(pid, dueAt);
      return true;
    },
    bringForward: async () => undefined,
    setBack: async (pid, dueAt) => this.setDue(pid, dueAt),
    dropDue: async (pid) => this.setDue(pid, undefined),
    finish: async ({ pid }) => {
      this.writes += 1;
      await this.#time.sleep(this.#latencies.transaction);
      this.setDue(pid, undefined);
      this.rows.delete(pid);
      return 'written';
    },
    finishUnread: async () => 'exists',
    markNotified: async () => undefined,
    release: async () => undefined,
    addCard: async () => undefined,
    noteCardProblem: async () => undefined,
    storeToken: async () => true,
  };

  #list(now: number, limit: number, after: DueApproval | undefined): DueApproval[] {
    const found: DueApproval[] = [];
    const last = Math.floor(now / 1_000);
    const first = after ? Math.floor(after.dueAt / 1_000) : Math.min(...this.#seconds.keys());
    for (let second = first; second <= last && found.length < limit; second++) {
      const entries = this.#sorted(second);
      let live = 0;
      for (let index = after ? afterIn(entries, after) : 0; index < entries.length; index++) {
        const { pid, dueAt } = entries[index] as Entry;
        const row = this.rows.get(pid);
        // The row has another due time by now.
        if (row?.dueAt !== dueAt) continue;
        live += 1;
        if (dueAt > now) break;
        found.push({ pid, dueAt, failures: 0, isFirstLook: isFirstLook(row.approval, now) });
        if (found.length === limit) break;
      }
      if (!after && live === 0) this.#seconds.delete(second);
    }
    return found;
  }

  #sorted(second: number): readonly Entry[] {
    const bucket = this.#seconds.get(second);
    if (!bucket) return [];
    if (!bucket.isSorted) {
      const live = bucket.entries.filter(({ pid, dueAt }) => this.rows.get(pid)?.dueAt === dueAt);
      bucket.entries = live.sort((a, b) => a.dueAt - b.dueAt || (a.pid < b.pid ? -1 : 1));
      bucket.isSorted = true;
    }
    return bucket.entries;
  }
}

interface Entry {
  readonly pid: string;
  readonly dueAt: number;
}

interface Bucket {
  entries: Entry[];
  isSorted: boolean;
}

/** The place of the first entry behind `after`. */
function afterIn(entries: readonly Entry[], after: DueApproval): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { pid, dueAt } = entries[middle] as Entry;
    if (dueAt > after.dueAt || (dueAt === after.dueAt && pid > after.pid)) high = middle;
    else low = middle + 1;
  }
  return low;
}
