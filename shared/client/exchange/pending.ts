/** Lists the proposals of one process that have no decision yet. */
import { pidOf } from '../../domain/digest.ts';
import type { PendingCall } from '../calls/calls.ts';
import type { Options } from '../calls/options.ts';
import type { SentProposals } from './sent-proposals.ts';

/** Oldest first. `graceMs`: how long the end of a proposal may be told after nobody can answer it any more. */
export async function* pendingCalls(
  sent: SentProposals,
  graceMs: number,
  signal: AbortSignal | undefined,
  { agent, deployment, reader, clock }: Options,
): AsyncIterable<PendingCall> {
  for (const [proposalId, { proposedAt, endsAt, toolName, title }] of sent.all()) {
    signal?.throwIfAborted();
    const pid = pidOf(deployment, agent, proposalId);
    const claim = await reader.read(agent, pid, 'evaluated');
    const isAsked = claim?.verdict === 'ask';
    const decided = claim?.decision ?? (isAsked ? (await reader.read(agent, pid, 'decided'))?.decision : undefined);
    if (decided || clock.now() > endsAt + graceMs) continue;
    const named = { ...(toolName === undefined ? {} : { toolName }), ...(title === undefined ? {} : { title }) };
    yield { proposalId, ...named, proposedAt: new Date(proposedAt), until: new Date(endsAt), isAsked };
  }
}
