/** Shows the rows of a run to its judge and its operators, without faults. */
import { memoryApprovalStore } from '../../../shared/adapters/memory/stores/approval-store.ts';
import { memoryAuditLog } from '../../../shared/adapters/memory/stores/audit-log.ts';
import { memoryDecisionReader } from '../../../shared/adapters/memory/stores/decision-reader.ts';
import { toCopy } from '../../../shared/adapters/memory/stores/json-copy.ts';
import { memoryPermitStore } from '../../../shared/adapters/memory/stores/permit-store.ts';
import { memorySessionStore } from '../../../shared/adapters/memory/stores/session-store.ts';
import type { MemoryState } from '../../../shared/adapters/memory/stores/state.ts';
import { memoryTasks } from '../../../shared/adapters/memory/stores/task-store.ts';
import type { DecisionReader } from '../../../shared/ports/agent-side.ts';
import type { ApprovalStore } from '../../../shared/ports/stores/approval-store.ts';
import type { AuditLog } from '../../../shared/ports/stores/audit-log.ts';
import type { InputStore } from '../../../shared/ports/stores/input-store.ts';
import type { PermitStore } from '../../../shared/ports/stores/permit-store.ts';
import type { SessionStore } from '../../../shared/ports/stores/session-store.ts';
import type { TaskStore } from '../../../shared/ports/stores/task-store.ts';
import { largeIn } from './sizes.ts';

/** A place, and the texts that stand there. */
export interface Sink {
  readonly place: string;
  readonly texts: readonly string[];
}

export interface Stored {
  readonly approvals: ApprovalStore;
  readonly audit: AuditLog;
  readonly permits: PermitStore;
  readonly sessions: SessionStore;
  readonly tasks: Pick<TaskStore, 'list'>;
  readonly reader: DecisionReader;
  /** The counters of waiting questions, by kind and name. */
  waiting(): Iterable<readonly [string, number]>;
  sinks(): readonly Sink[];
  /** Items that are larger than they may be. */
  large(): Promise<string[]>;
  /** Changes the row of an approval as somebody with rights on the table could. False: it has none. */
  damage(pid: string, change: (approval: Readonly<Record<string, unknown>>) => unknown): boolean;
}

export const inMemory = (state: MemoryState, inputs: InputStore): Stored => ({
  approvals: memoryApprovalStore(state, inputs),
  audit: memoryAuditLog(state),
  permits: memoryPermitStore(state),
  sessions: memorySessionStore(state),
  tasks: memoryTasks(state),
  reader: memoryDecisionReader(state),
  waiting: () => state.waiting,
  sinks: () => Object.entries(state).map(([place, rows]) => ({ place, texts: textsIn(rows) })),
  large: () => largeIn(state),
  damage(pid, change) {
    const row = state.approvals.get(pid);
    if (!row) return false;
    const approval = JSON.parse(row.approval.json) as Readonly<Record<string, unknown>>;
    state.approvals.set(pid, { ...row, approval: toCopy(change(approval)) });
    return true;
  },
});

/** Rows hold JSON as text, some beside what was read of it. */
function textsIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value);
  else if (typeof value !== 'object' || value === null) return found;
  else if ('json' in value) textsIn(value.json, found);
  else if (value instanceof Map || value instanceof Set) for (const one of value.values()) textsIn(one, found);
  else for (const one of Object.values(value)) textsIn(one, found);
  return found;
}
