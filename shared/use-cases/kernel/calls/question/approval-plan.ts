/**
 * Plans the approvers of a question: the rule's, else the tool's, the agent's, the deployment's.
 * High severity takes two people.
 */
import type { Asks, Policy } from '../../../../config/compile.ts';
import { REQUESTER } from '../../../../config/schema/defaults.ts';
import type { AgentSettings } from '../../../../config/schema/policy-file.ts';
import { LIMITS } from '../../../../contract/bounds.ts';
import type { Person, Severity, Stage } from '../../../../contract/index.ts';
import { samePerson } from '../../../../domain/approval/approval.ts';
import { fillable } from '../../../../domain/approval/quorum.ts';
import { canonicalJson, sha256Hex } from '../../../../domain/digest.ts';
import { personKey } from '../../../../domain/people-ids.ts';
import { isHighSeverity } from '../../../../domain/severity.ts';
import type { Decided } from '../../../../permissions/model/types.ts';
import { messages } from '../../../model-messages.ts';

/** The groups to ask, before the severity of the question is known. */
export interface ApprovalPlan {
  readonly stages: readonly PlannedStage[];
  readonly timeoutApproves: boolean;
}

export type PlannedStage = NonNullable<Asks['stages']>[number];

/** An agent that a call is asked about, and the rule that asks there. */
export interface QuestionedAgent {
  readonly settings: AgentSettings;
  readonly rule?: Decided['rule'];
}

/** The approvers, frozen; or the reason why there are none, in words for the model. */
export type PlannedQuestion =
  | {
      readonly ok: true;
      readonly stages: Stage[];
      readonly stagesDigest: string;
      /** Present: silence until the end approves. */
      readonly onTimeout?: 'approve';
      /** Whether people are left to approve what one of them edited: an editor may not, where severity is high. */
      readonly editable: boolean;
    }
  | { readonly ok: false; readonly code: 'no_approvers' | 'quorum_unavailable'; readonly message: string };

/**
 * Plans the approvers of a call; undefined if the policy file names none. `questioned`: the agent of the call first, then the agents above it that
 * ask as well. The strictest of their plans counts. Two plans of which neither includes the other are both asked. The deployment's own approvers are
 * asked if none of them names any.
 */
export function planForCall(
  policy: Policy,
  toolName: string,
  questioned: readonly QuestionedAgent[],
): ApprovalPlan | undefined {
  const tool = Object.hasOwn(policy.settings.tools, toolName) ? policy.settings.tools[toolName] : undefined;
  const behaviour = tool?.timeoutBehavior ?? policy.settings.approvals.timeoutBehavior;
  const stated = questioned.flatMap(({ settings, rule }) => {
    const asks = [rule && policy.asksOfRule(rule), tool, settings];
    const stages = asks.map((one) => one && stagesOf(one)).find(Boolean);
    return stages ? [stages] : [];
  });
  const stages = stated.length ? strictest(stated, policy) : stagesOf(policy.settings.approvals);
  return stages && { stages, timeoutApproves: behaviour === 'Approve' };
}

/** Plans the approvers of a choice or a question: the named group, else the agent's approvers, else the deployment's. */
export function planForGroup(policy: Policy, settings: AgentSettings, group?: string): ApprovalPlan | undefined {
  const asking: Asks[] = group === undefined ? [settings, policy.settings.approvals] : [{ approvers: group }];
  const stages = asking.map(stagesOf).find(Boolean);
  return stages && { stages, timeoutApproves: false };
}

/** Drops plans that another plan includes, and joins the rest: their stages are asked one after the other. */
function strictest(plans: readonly (readonly PlannedStage[])[], policy: Policy): readonly PlannedStage[] {
  const needed = plans.filter(
    (plan, index) =>
      !plans.some(
        (other, at) => at !== index && includes(other, plan, policy) && (at < index || !includes(plan, other, policy)),
      ),
  );
  return needed.flat();
}

/** Whether everybody who agrees in `a` has agreed in `b`: each stage of `b` has one of its own in `a` that is at least as strict. */
function includes(a: readonly PlannedStage[], b: readonly PlannedStage[], policy: Policy): boolean {
  const left = [...a];
  return b.every((stage) => {
    const index = left.findIndex((other) => isAtLeast(other, stage, policy));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

function isAtLeast(a: PlannedStage, b: PlannedStage, policy: Policy): boolean {
  if (canonicalJson(jsonOf(a)) === canonicalJson(jsonOf(b))) return true;
  if (a.by !== 'group' || b.by !== 'group' || a.quorum < b.quorum || (a.reject === 'counts' && b.reject !== 'counts'))
    return false;
  const members = answerersOf(b, policy);
  return answerersOf(a, policy).every((one) => members.includes(one));
}

/** All who may vote in a stage, a Slack user group as itself. */
const answerersOf = ({ group, escalateTo }: PlannedStage, policy: Policy): string[] =>
  [group, escalateTo].flatMap((name) => {
    if (name === undefined) return [];
    const userGroup = policy.userGroupOf(name);
    return userGroup ? [`group ${userGroup.team}/${userGroup.id}`] : policy.membersOf(name).map(personKey);
  });

const stagesOf = ({ approvers, stages }: Asks): readonly PlannedStage[] | undefined =>
  stages ?? (approvers === undefined ? undefined : [{ group: approvers, by: 'group', quorum: 1, reject: 'ends' }]);

/** Two plans are one question's only if they ask the same people in the same way. */
export const samePlan = (a: ApprovalPlan, b: ApprovalPlan): boolean =>
  canonicalJson(jsonOf(a)) === canonicalJson(jsonOf(b));

const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Demands two people for high severity. One person votes once in an approval, so that two votes are of two people. */
export function stagesOfPlan({ stages }: ApprovalPlan, severity: Severity): readonly PlannedStage[] {
  const quorum = stages.reduce((sum, stage) => sum + stage.quorum, 0);
  if (!isHighSeverity(severity) || quorum >= 2) return stages;
  return stages.map((stage, index) => (index === 0 ? { ...stage, quorum: 2 } : stage));
}

/**
 * Freezes a plan for a question of this severity. `above`: requesters of the sessions above. An ask that nobody can answer fails now instead of after
 * an hour of waiting.
 */
export function askedBy(
  plan: ApprovalPlan | undefined,
  severity: Severity,
  settings: AgentSettings,
  policy: Policy,
  requester: Person = policy.person(settings.owner),
  editors: readonly Person[] = [],
  above: readonly Person[] = [],
): PlannedQuestion {
  if (!plan) return { ok: false, code: 'no_approvers', message: messages.noApprovers() };
  // The agents above a session may each ask others.
  if (plan.stages.length > LIMITS.stages)
    return { ok: false, code: 'quorum_unavailable', message: messages.tooManyStages(LIMITS.stages) };
  const isHigh = isHighSeverity(severity);
  const barred = [policy.person(settings.owner), requester, ...above, ...(isHigh ? editors : [])];
  const unavailable = { ok: false, code: 'quorum_unavailable', message: messages.quorumUnavailable(severity) } as const;
  if (isHigh && plan.stages.some(({ by }) => by === 'requester')) return unavailable;
  const stages = stagesOfPlan(plan, severity).map((stage) => frozen(stage, requester, barred, policy));
  const eligible = (stage: Stage) => (stage.by === REQUESTER ? [requester] : membersBut(barred, stage.group, policy));
  if (stages.some((stage) => eligible(stage)?.length === 0))
    return { ok: false, code: 'no_approvers', message: messages.noApprovers() };
  const seats = stages.map((stage) => ({ quorum: stage.quorum, members: eligible(stage)?.map(personKey) }));
  if (!fillable(seats)) return unavailable;
  return {
    ok: true,
    stages,
    stagesDigest: stagesDigest(policy, stages),
    editable: !isHigh || leavesEnough(seats),
    ...(plan.timeoutApproves && !isHigh ? { onTimeout: 'approve' } : {}),
  };
}

/** Whether enough members remain for every possible editor. The members of a Slack user group are not known beforehand. */
function leavesEnough(
  seats: readonly { readonly quorum: number; readonly members: readonly string[] | undefined }[],
): boolean {
  const everybody = new Set(seats.flatMap(({ members = [] }) => members));
  return [...everybody].every((editor) =>
    fillable(seats.map(({ quorum, members }) => ({ quorum, members: members?.filter((one) => one !== editor) }))),
  );
}

/** Undefined for a Slack user group: who is in it is looked up when somebody votes. */
function membersBut(barred: readonly Person[], group: string, policy: Policy): Person[] | undefined {
  if (policy.userGroupOf(group)) return undefined;
  return policy.membersOf(group).filter((member) => !barred.some((one) => samePerson(member, one)));
}

function frozen(stage: PlannedStage, requester: Person, barred: readonly Person[], policy: Policy): Stage {
  const { timeout, remind, escalateTo, reject, quorum, by } = stage;
  const times = {
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(remind === undefined ? {} : { remindMs: remind }),
  };
  if (by === 'requester')
    // A message to a person's own id opens their conversation with the app.
    return { group: REQUESTER, by, quorum: 1, team: requester.team, channel: requester.user, ...times };
  const group = stage.group ?? '';
  const { team, id } = policy.channelOf(group);
  const eligible = eligibleIn([group, ...(escalateTo === undefined ? [] : [escalateTo])], barred, policy);
  return {
    group,
    quorum,
    team,
    channel: id,
    ...times,
    ...(escalateTo === undefined ? {} : { escalateTo: channelOf(escalateTo, policy) }),
    ...(reject === 'counts' ? { rejectEnds: false } : {}),
    ...(eligible === undefined ? {} : { eligible }),
  };
}

/** How many different people may answer a stage until its end, those after an escalation among them. */
function eligibleIn(groups: readonly string[], barred: readonly Person[], policy: Policy): number | undefined {
  const people = groups.map((group) => membersBut(barred, group, policy)?.map(personKey));
  return people.includes(undefined) ? undefined : new Set(people.flat()).size;
}

function channelOf(group: string, policy: Policy) {
  const { team, id } = policy.channelOf(group);
  return { group, team, channel: id };
}

/** Digests by policy and stages, because a policy asks the same few groups again and again. */
const digests = new WeakMap<Policy, Map<string, string>>();

/** The digest of groups and quorums. Votes count under a later policy only if it is still equal. */
function stagesDigest(policy: Policy, stages: readonly Stage[]): string {
  const known = digests.get(policy) ?? new Map<string, string>();
  digests.set(policy, known);
  const key = JSON.stringify(
    stages.map(({ group, by, quorum, rejectEnds, escalateTo }) => [group, by, quorum, rejectEnds, escalateTo?.group]),
  );
  const digest = known.get(key) ?? digestOfStages(policy, stages);
  known.set(key, digest);
  return digest;
}

function digestOfStages(policy: Policy, stages: readonly Stage[]): string {
  const who = (group: string) => ({ group, members: policy.membersOf(group), userGroup: policy.userGroupOf(group) });
  const parts = stages.map(({ group, by, quorum, rejectEnds, escalateTo }) => ({
    ...who(group),
    by: by ?? 'group',
    quorum,
    rejectEnds: rejectEnds ?? true,
    escalateTo: escalateTo && who(escalateTo.group),
  }));
  return sha256Hex(canonicalJson(jsonOf(parts)));
}
