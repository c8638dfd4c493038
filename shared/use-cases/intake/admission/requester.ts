/** Tells in whose name a proposal was made, if the policy file lets the agent say so. */
import type { Policy } from '../../../config/compile.ts';
import type { AgentSettings } from '../../../config/schema/policy-file.ts';
import type { Person } from '../../../contract/index.ts';
import type { DecidableProposal } from '../../../contract/proposal.ts';

/** The agent's owner where it names nobody; undefined for somebody whom the file does not list for this agent. */
export function requesterOf(
  { requester }: Pick<DecidableProposal, 'requester'>,
  { owner, requesters }: AgentSettings,
  policy: Policy,
): Person | undefined {
  if (requester === undefined) return policy.person(owner);
  return requester === owner || requesters.includes(requester) ? policy.person(requester) : undefined;
}
