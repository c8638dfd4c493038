/** Who has to answer for a call (D31): the rule's group, else the tool's, else the agent's, else the deployment's. */
import type { Policy } from '../config/compile.ts';
import type { Stage } from '../contract/index.ts';
import { samePerson } from '../domain/approval.ts';
import { canonicalJson, sha256Hex } from '../domain/digest.ts';
import type { Decided } from '../permissions/types.ts';
import type { Session } from './session.ts';

/** The group that is asked about `toolName` after `verdict`, or undefined if nobody in it may approve for this agent. */
export function groupFor(
  policy: Policy,
  session: Pick<Session, 'settings'>,
  toolName: string,
  verdict: Pick<Decided, 'rule'>,
): string | undefined {
  const name =
    (verdict.rule && policy.approversOfRule(verdict.rule)) ??
    policy.settings.tools[toolName]?.approvers ??
    session.settings.approvers ??
    policy.settings.approvals.approvers;
  if (name === undefined) return undefined;
  const owner = policy.person(session.settings.owner);
  const eligible = policy.membersOf(name).filter((member) => !samePerson(member, owner));
  return eligible.length ? name : undefined;
}

/** The stages of a question, frozen when it is asked. */
export function stagesOf(policy: Policy, group: string): Stage[] {
  const channel = policy.channelOf(group);
  return [{ group, quorum: 1, team: channel.team, channel: channel.id }];
}

/** What has to stay equal for votes to count under a later policy (A17): who is asked and how many must agree. */
export function stagesDigest(policy: Policy, stages: readonly Stage[]): string {
  return sha256Hex(
    canonicalJson(stages.map(({ group, quorum }) => ({ group, quorum, members: policy.membersOf(group) }))),
  );
}
