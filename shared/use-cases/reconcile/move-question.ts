/** Moves a question from a closed channel to the one that the policy file names by now. */
import type { Approval, Stage } from '../../contract/index.ts';
import { isTerminal, type Transition } from '../../domain/approval/approval.ts';
import type { ApprovalView } from '../../ports/stores/approval-store.ts';
import type { ResolveDependencies } from '../approvals/dependencies.ts';
import { updateApproval } from '../approvals/update-approval.ts';

/** The row in its new channels; undefined where it stays as it is. Votes are for groups, and count as before. */
export async function moveQuestion(view: ApprovalView, deps: ResolveDependencies): Promise<Approval | undefined> {
  if (view.approval.follows !== undefined) return undefined;
  const changed = await updateApproval(
    view.approval.pid,
    ({ approval }) => moved(approval, deps),
    () => undefined,
    deps,
    view,
  );
  return changed.kind === 'changed' ? changed.approval : undefined;
}

/** Stages that have answered keep their cards where they are. */
function moved(row: Approval, deps: ResolveDependencies): Transition {
  if (isTerminal(row.status)) return { ok: false, refusal: 'already_decided' };
  const { question, stage: now = 0 } = row;
  const stages = question.stages.map((stage, index) => (index < now ? stage : inNamedChannels(stage, deps)));
  const isSame = stages.every((stage, index) => stage === question.stages[index]);
  if (isSame) return { ok: false, refusal: 'not_due' };
  return { ok: true, next: { ...row, question: { ...question, stages }, version: row.version + 1 } };
}

/** The stage itself where nothing differs, or its group is no more in the file. Somebody who confirms their own call has no channel. */
function inNamedChannels(stage: Stage, { policy }: ResolveDependencies): Stage {
  if (stage.by === 'requester') return stage;
  const channelOf = (group: string): { readonly team: string; readonly channel: string } | undefined => {
    if (!Object.hasOwn(policy.settings.approvers, group)) return undefined;
    const { team, id } = policy.channelOf(group);
    return { team, channel: id };
  };
  const now = channelOf(stage.group);
  const { escalateTo } = stage;
  const later = escalateTo && channelOf(escalateTo.group);
  const isSame =
    (!now || now.channel === stage.channel) && (!later || !escalateTo || later.channel === escalateTo.channel);
  if (isSame) return stage;
  return { ...stage, ...now, ...(escalateTo ? { escalateTo: { ...escalateTo, ...later } } : {}) };
}
