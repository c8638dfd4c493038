/** Finds the approvals that would take a vote of one person now. Asking changes nothing. */
import type { Approval, Delegations } from '../../../contract/index.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { VoterDependencies } from '../../people/seats.ts';
import { canAnswer, hasPassed } from './can-answer.ts';
import { type Claimant, voterOf } from './eligible-voter.ts';

/** Returns the approvals in the order given. A person whose membership cannot be found out has nothing to answer. */
export async function pendingFor(
  who: Claimant,
  pending: readonly Approval[],
  deps: VoterDependencies & { readonly clock: Clock },
): Promise<Approval[]> {
  // One look is enough for all of them.
  let delegations: Promise<Delegations> | undefined;
  const read = () => (delegations ??= deps.delegations.read());
  const votes = await Promise.all(
    pending.map(async (approval) => {
      const voter = await voterOf(who, approval, { ...deps, delegations: { read } });
      const isAsked = approval.follows === undefined && !hasPassed(approval, who.person);
      return isAsked && canAnswer(approval, voter, deps.clock.now());
    }),
  );
  return pending.filter((_, index) => votes[index]);
}
