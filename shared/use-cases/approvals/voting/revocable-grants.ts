/** Checks who may revoke a grant: its giver, its approvers' groups, an operator. */
import type { Policy } from '../../../config/compile.ts';
import type { Person } from '../../../contract/index.ts';
import { samePerson } from '../../../domain/approval/approval.ts';
import type { ActiveGrant } from '../../../domain/session.ts';
import { planForCall } from '../../kernel/calls/question/approval-plan.ts';

/** A person with the groups of the policy file that have this person as a member. */
interface Member {
  readonly person: Person;
  readonly groups: readonly string[];
}

/** Fails closed: a person who did not give the grant and is in no group that is asked about the tool may not revoke it. */
export function canRevoke(grant: ActiveGrant, { person, groups }: Member, policy: Policy): boolean {
  if (grant.givenBy.some((one) => samePerson(one, person))) return true;
  if (isOperator(person, policy)) return true;
  return groupsFor(grant, policy).some((group) => groups.includes(group));
}

const isOperator = (person: Person, { settings, person: named }: Policy): boolean =>
  Object.values(settings.operators).some((operator) => samePerson(named(operator.person), person));

/** The groups that would be asked about such a call now. */
function groupsFor({ agent, toolName }: ActiveGrant, policy: Policy): string[] {
  const settings = Object.hasOwn(policy.settings.agents, agent) ? policy.settings.agents[agent] : undefined;
  const plan = settings && planForCall(policy, toolName, [{ settings }]);
  return (plan?.stages ?? []).flatMap(({ group, escalateTo }) =>
    [group, escalateTo].filter((one) => one !== undefined),
  );
}
