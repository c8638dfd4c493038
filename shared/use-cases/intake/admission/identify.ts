/** Finds out whom a message of the proposals queue is from, and which proposal it is about. */
import { DEFAULT_SESSION } from '../../../contract/bounds.ts';
import { pidOf, sha256Hex } from '../../../domain/digest.ts';
import { fault } from '../../../domain/errors.ts';
import { type ReadProposal, readProposal } from '../../../domain/proposal/read-proposal.ts';
import { unreadableId } from '../../../domain/proposal/reserved-ids.ts';
import type { Subject } from '../../audit/audit-entry.ts';
import { resolveSender, UNREGISTERED } from '../../identity.ts';
import { DEAD_LETTER } from '../dead-letter.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Identified, Incoming } from '../message.ts';

type IdentifyDependencies = Pick<IntakeDependencies, 'agents' | 'accountsAllowed' | 'clock' | 'deployment'>;

export async function identify(
  incoming: Incoming,
  deps: IdentifyDependencies,
  readWith: (raw: string, now: number) => ReadProposal = readProposal,
): Promise<Identified> {
  const startedAt = deps.clock.now();
  const agent = await resolveSender(incoming.principal, deps.agents, deps);
  const read = readWith(incoming.raw, startedAt);
  const proposalId = read.ok ? read.proposal.proposalId : read.proposalId;
  const filedUnder = proposalId ?? (read.ok ? '' : unreadableId(read.rawDigest));
  const name = agent ?? UNREGISTERED;
  const subject: Subject = {
    agent: name,
    pid: pidOf(deps.deployment, name, filedUnder),
    proposalId,
    ...(read.ok ? { sessionId: read.proposal.sessionId ?? DEFAULT_SESSION, claimedSentAt: read.proposal.sentAt } : {}),
  };
  return { incoming, read, agent, subject, startedAt };
}

/** For a message whose reading may be what ended the process: nothing of it is parsed. */
export const unparsed = (raw: string): ReadProposal => ({
  ok: false,
  fault: fault(DEAD_LETTER, '', 'the message could not be processed'),
  proposalId: null,
  rawDigest: sha256Hex(raw),
});
