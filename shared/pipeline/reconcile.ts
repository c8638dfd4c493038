/** Repairs what a crash left between a row, its workflow and its card (A8). Runs each minute; safe to run twice at once. */
import type { Approval, AuditEntry } from '../contract/index.ts';
import { advance, currentStage, isTerminal } from '../domain/approval.ts';
import type { ApprovalView } from '../ports/approval-store.ts';
import type { Resumer, Workflow } from '../ports/workflow.ts';
import { changeApproval, nextLookAt, wake } from './change.ts';
import { finish } from './finish.ts';
import { answerFollower } from './follow.ts';
import type { FinishGate } from './gate.ts';
import { recordOf } from './record.ts';
import { redrawChanged } from './redraw.ts';
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
  if (approval.follows !== undefined && (await followed(approval, gate))) return;
  await pass(view, gate);
}

/** Its lead may have ended without telling this one. */
async function followed({ pid, follows = '' }: Approval, gate: ReconcileGate): Promise<boolean> {
  const lead = await gate.approvals.read(follows);
  if (!lead?.decision) return false;
  if ((await answerFollower(pid, lead.approval, gate)) === 'answered') await conclude(pid, gate);
  return true;
}

/** What time does to a row that waits: reminders, escalation, the end of a stage (A9, D31). Nothing twice: each is a change of the row. */
async function pass(view: ApprovalView, gate: ReconcileGate): Promise<void> {
  const { approval } = view;
  const now = gate.clock.now();
  const changed = await changeApproval(
    approval.pid,
    (current) => advance(current.approval, now),
    (before, next) => recordOf(gate, approval, `stage#${next.version}`, stepOf(before.approval, next)),
    gate,
    view,
  );
  if (changed.kind === 'refused') {
    // Whoever changed it last may have stopped before the cards were asked for: a further stage's, or those of one that asks alone now.
    if (approval.version > 0) await redrawChanged(approval, gate.cards);
    // Not if somebody voted meanwhile: the row is looked at again soon then.
    await gate.approvals.postpone(approval.pid, nextLookAt(approval), approval.version);
    return;
  }
  if (changed.kind === 'missing') return;
  const next = changed.approval;
  if (isTerminal(next.status)) await wake(next.pid, gate);
  await redrawChanged(next, gate.cards);
}

function stepOf(before: Approval, next: Approval): Pick<AuditEntry, 'type' | 'reasonCode' | 'detail'> {
  const { group } = currentStage(before);
  const step = isTerminal(next.status) ? 'expired' : next.escalated && !before.escalated ? 'escalated' : 'reminded';
  return { type: 'stage', reasonCode: step, detail: `stage ${(before.stage ?? 0) + 1}, ${group}` };
}

/** What holds secrets is decided where its original may be read, which is not here (A20). */
async function conclude(pid: string, gate: ReconcileGate): Promise<void> {
  const { state } = await finish(pid, gate);
  if (state === 'sealed') await gate.resumer.resume(pid);
}
