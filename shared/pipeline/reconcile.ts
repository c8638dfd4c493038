/** Repairs what a crash left between a row, its workflow and its card (A8). Runs each minute; safe to run twice at once. */
import { isTerminal } from '../domain/approval.ts';
import type { Resumer, Workflow } from '../ports/workflow.ts';
import { wake } from './change.ts';
import { finish } from './finish.ts';
import type { FinishGate } from './gate.ts';
import { type RepairGate, repairPermit } from './repair-permit.ts';

export interface ReconcileGate extends FinishGate, RepairGate {
  readonly workflow: Workflow;
  readonly resumer: Resumer;
}

/** A row that ended is finished here this long after, whatever its workflow does (A8). */
const FINISH_AFTER_MS = 2 * 60_000;
const PAST_EXPIRY_MS = 60_000;
const RETRY_MS = 60_000;
const AT_ONCE = 100;

export interface Repaired {
  readonly looked: number;
  readonly failed: readonly { readonly pid: string; readonly error: unknown }[];
}

/** Looks after every approval whose time has come; a failure of one leaves the others alone. */
export async function reconcile(gate: ReconcileGate): Promise<Repaired> {
  const pids = await gate.approvals.due(gate.clock.now(), AT_ONCE);
  const results = await Promise.allSettled(pids.map((pid) => repair(pid, gate)));
  const failed = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ pid: pids[index] ?? '', error: result.reason as unknown }] : [],
  );
  const permits = await permitsDue(gate);
  return { looked: pids.length + permits.looked, failed: [...failed, ...permits.failed] };
}

async function permitsDue(gate: ReconcileGate): Promise<Repaired> {
  const due = await gate.permits.due(gate.clock.now(), AT_ONCE);
  const results = await Promise.allSettled(due.map(({ pid, callId }) => repairPermit(pid, callId, gate)));
  const failed = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ pid: due[index]?.pid ?? '', error: result.reason as unknown }] : [],
  );
  return { looked: due.length, failed };
}

async function repair(pid: string, gate: ReconcileGate): Promise<void> {
  const view = await gate.approvals.read(pid);
  if (!view) return;
  const { approval } = view;
  const now = gate.clock.now();
  const end = Date.parse(approval.expiresAt);
  // Before the work: a repair that fails comes again in a minute.
  await gate.approvals.postpone(pid, now + RETRY_MS, approval.version);
  if (isTerminal(approval.status)) {
    await wake(pid, gate);
    const overdue = now >= Date.parse(approval.endedAt ?? approval.expiresAt) + FINISH_AFTER_MS;
    // Decided already: the run that was to tell everybody stopped before it was done.
    if (view.decision || overdue) await conclude(pid, gate);
    return;
  }
  if (now >= end + PAST_EXPIRY_MS) {
    await conclude(pid, gate);
    return;
  }
  await gate.workflow.start(pid, approval.expiresAt);
  // Not if somebody voted meanwhile: the row is looked at again soon then.
  await gate.approvals.postpone(pid, end + PAST_EXPIRY_MS, approval.version);
}

/** What holds secrets is decided where its original may be read, which is not here (A20). */
async function conclude(pid: string, gate: ReconcileGate): Promise<void> {
  const { state } = await finish(pid, gate);
  if (state === 'sealed') await gate.resumer.resume(pid);
}
