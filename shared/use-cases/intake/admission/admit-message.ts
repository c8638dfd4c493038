/** Admits a message: who sent it, whether its body says the same, and whether it can be read. */
import type { CancelProposal, Proposal } from '../../../contract/index.ts';
import type { DecidableProposal, TaskMessageProposal } from '../../../contract/proposal.ts';
import type { StoredClaim } from '../../../ports/stores/claim-store.ts';
import { messages } from '../../model-messages.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Identified } from '../message.ts';
import type { Refused } from './admit-proposal.ts';

/** A message to work, by what it asks for. */
type AdmittedMessage =
  | Refused
  | { readonly kind: 'cancel'; readonly proposal: CancelProposal }
  /** The same message came before. */
  | { readonly kind: 'repeated'; readonly claim: StoredClaim }
  | { readonly kind: 'task-message'; readonly proposal: TaskMessageProposal }
  | { readonly kind: 'proposal'; readonly proposal: DecidableProposal };

export async function admitMessage(
  { agent, read, incoming, subject }: Identified,
  claims: ReadonlyMap<string, StoredClaim>,
  deps: IntakeDependencies,
): Promise<AdmittedMessage> {
  const settings = agent === undefined ? undefined : deps.policy.settings.agents[agent];
  if (agent === undefined || !settings)
    return { kind: 'refused', code: 'unregistered_sender', message: messages.unregistered() };
  const { groupId } = incoming;
  const mismatch = identityMismatch(read.ok ? read.proposal : undefined, groupId, agent, settings.parents, deps);
  if (mismatch) return { kind: 'refused', ...mismatch };
  // The text of a fault may quote the message, secrets included.
  if (!read.ok)
    return { kind: 'refused', code: read.fault.code, message: await deps.redactor.text(read.fault.message) };
  const { proposal } = read;
  if (proposal.kind === 'cancel') return { kind: 'cancel', proposal };
  const claim = claims.get(subject.pid);
  if (claim) return { kind: 'repeated', claim };
  return proposal.kind === 'task-message' ? { kind: 'task-message', proposal } : { kind: 'proposal', proposal };
}

/** The sender that the body names has to be the one that the platform states. */
function identityMismatch(
  proposal: Proposal | undefined,
  groupId: string | undefined,
  agent: string,
  parents: readonly string[],
  { deployment }: Pick<IntakeDependencies, 'deployment'>,
): Pick<Refused, 'code' | 'message'> | undefined {
  const { agentId = agent, tenantId = deployment, parentAgentId } = proposal ?? {};
  if ((groupId ?? agent) !== agent || agentId !== agent)
    return { code: 'not_your_agent', message: messages.notYourAgent() };
  if (tenantId !== deployment) return { code: 'not_your_tenant', message: 'tenantId: is not this deployment' };
  if (parentAgentId !== undefined && !parents.includes(parentAgentId))
    return { code: 'unlisted_parent', message: 'parentAgentId: the policy file does not list this parent' };
  return undefined;
}
