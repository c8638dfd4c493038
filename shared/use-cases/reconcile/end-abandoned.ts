/**
 * Ends questions that too few people are left to answer, because the policy file has changed.
 *
 * A call whose question another one asked, which is gone, asks by itself.
 */
import type { Approval } from '../../contract/index.ts';
import { abandon, currentStage, sinceOf, type Transition } from '../../domain/approval/approval.ts';
import { isCanary } from '../../domain/canary.ts';
import { NO_DIRECTORY } from '../../ports/people.ts';
import type { ApprovalView } from '../../ports/stores/approval-store.ts';
import type { Workflow } from '../../ports/workflow.ts';
import { askAlone } from '../approvals/coalesce.ts';
import type { ResolveDependencies } from '../approvals/dependencies.ts';
import { unlessUnreadable } from '../approvals/resolution/end-unread.ts';
import { completeWait, updateApproval } from '../approvals/update-approval.ts';
import { canBeAnswered } from '../approvals/voting/needed-later.ts';
import { recordOf } from '../audit/audit-entry.ts';
import type { VoterDependencies } from '../people/seats.ts';

/** As many are looked at in one run, and the ones after them in the next: one that waits on keeps no other waiting. */
const MAX_LOOKED_AT = 100;
const RUN_MS = 60_000;
/** Runs within which each question whose group is there has its turn: another policy file may have taken people out of the group, or a later group. */
const RUNS_OF_A_ROUND = 15;
/** Longer than a deployment shifts calls, and than its way back takes: meanwhile functions with two policy files ask and answer. */
const SIDE_BY_SIDE_MS = 15 * 60_000;

interface EndingDependencies extends ResolveDependencies {
  readonly workflow: Workflow;
  /** When this process got its policy file, in milliseconds since 1970. A question asked later may name a group of a newer file. */
  readonly policySince: number;
}

/** The waiting questions, by whether the policy file has the group of their first stage. */
interface WaitingPids {
  readonly lost: readonly string[];
  readonly listed: readonly string[];
}

/**
 * One that enough people may answer stays as it is. The row is due from here on until it has its decision, whatever fails. Returns those that could
 * not be ended now.
 */
export async function endAbandoned(
  { lost, listed }: WaitingPids,
  deps: EndingDependencies,
): Promise<readonly { readonly pid: string; readonly error: unknown }[]> {
  const run = Math.floor(deps.clock.now() / RUN_MS);
  const now = listed.filter((pid) => Number.parseInt(pid.slice(0, 8), 16) % RUNS_OF_A_ROUND === run % RUNS_OF_A_ROUND);
  const turn = [...turnOf(lost, run), ...turnOf(now, Math.floor(run / RUNS_OF_A_ROUND))];
  let delegations: ReturnType<typeof deps.delegations.read> | undefined;
  const once = { read: () => (delegations ??= deps.delegations.read()) };
  const failed = await Promise.all(
    turn.map((pid) =>
      end(pid, deps, once).then(
        () => [],
        (error: unknown) => [{ pid, error }],
      ),
    ),
  );
  return failed.flat();
}

/** Each of them has its turn within as many runs as there are hundreds. */
function turnOf(pids: readonly string[], run: number): readonly string[] {
  if (pids.length <= MAX_LOOKED_AT) return pids;
  const first = (run * MAX_LOOKED_AT) % pids.length;
  return [...pids.slice(first), ...pids.slice(0, first)].slice(0, MAX_LOOKED_AT);
}

async function end(
  pid: string,
  deps: EndingDependencies,
  delegations: EndingDependencies['delegations'],
): Promise<void> {
  const view = await deps.approvals.read(pid).catch(unlessUnreadable);
  if (!view) return;
  if (await isLeftBehind(view, deps)) return askAlone(pid, deps);
  if (!abandoned(view, view, deps).ok) return;
  const { policy, clock } = deps;
  if (await isAnswerable(view.approval, { policy, clock, delegations, people: NO_DIRECTORY })) return;
  const changed = await updateApproval(
    pid,
    (current) => abandoned(current, view, deps),
    ({ approval }, next) =>
      recordOf(deps, approval, `stage#${next.version}`, { type: 'stage', ...stepOf(approval, deps) }),
    deps,
    view,
  ).catch(unlessUnreadable);
  if (changed?.kind === 'changed') await completeWait(pid, deps);
}

/** Somebody removed the row of the identical call whose card asks for this one too, as by restoring a table. */
async function isLeftBehind({ approval }: ApprovalView, { approvals }: EndingDependencies): Promise<boolean> {
  if (approval.status !== 'pending' || approval.follows === undefined) return false;
  // One that cannot be read is there, and ends with its time.
  const primary = await approvals.read(approval.follows).catch((error: unknown) => unlessUnreadable(error) ?? 'unread');
  return primary === undefined;
}

/** Only as it was looked at: somebody may have voted since. */
function abandoned(
  { approval }: ApprovalView,
  looked: ApprovalView,
  { policySince, clock }: EndingDependencies,
): Transition {
  const [since, now] = [sinceOf(approval), clock.now()];
  const mayHaveNewerFile = since >= policySince && now - since < SIDE_BY_SIDE_MS;
  if (mayHaveNewerFile || isCanary(approval.agent) || approval.version !== looked.approval.version)
    return { ok: false, refusal: 'not_due' };
  return abandon(approval, now);
}

/** People who passed and named nobody may still vote. */
const isAnswerable = ({ passed = [], ...row }: Approval, deps: VoterDependencies): Promise<boolean> =>
  canBeAnswered({ ...row, passed: passed.filter(({ to }) => to) }, deps);

/** Names the first group that is gone, or else the one that is asked. */
function stepOf(approval: Approval, { policy }: EndingDependencies) {
  const { stages } = approval.question;
  const now = approval.stage ?? 0;
  const gone = stages.findIndex(
    ({ by, group }, index) => index >= now && by !== 'requester' && !Object.hasOwn(policy.settings.approvers, group),
  );
  const detail =
    gone < 0
      ? `stage ${now + 1}, ${currentStage(approval).group}: too few people are left in the policy file`
      : `stage ${gone + 1}, ${stages[gone]?.group}, which is no longer in the policy file`;
  return { reasonCode: 'expired', detail };
}
