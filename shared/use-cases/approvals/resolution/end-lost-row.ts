/** Ends a question whose row is gone, by its claim on the record, once its workflow looks (G27). */
import { refused } from '../../kernel/calls/run.ts';
import { messages } from '../../model-messages.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { endLost } from './end-lost.ts';

/** Agents whose entries are read at once. */
const AT_ONCE = 20;

/**
 * The id does not tell whose question it was, so that the entries of each agent of the policy file are looked for. Nothing happens where the record
 * has a decision, or the policy file lists its agent no more.
 */
export async function endLostRow(pid: string, deps: ResolveDependencies): Promise<void> {
  const { audit, policy } = deps;
  const agents = Object.keys(policy.settings.agents);
  for (let first = 0; first < agents.length; first += AT_ONCE) {
    const some = agents.slice(first, first + AT_ONCE);
    const found = await Promise.all(some.map((agent) => audit.ofProposal(agent, pid, ['decision'])));
    const claim = found.flat().find(({ key }) => key.sort === 'evaluated');
    if (!claim) continue;
    const { agent, proposalId, sessionId } = claim.entry;
    const subject = { agent, pid, proposalId, sessionId };
    // A claim that decides says so itself.
    if (!claim.decision) await endLost(subject, refused('row_gone', messages.rowGone()).answer, deps);
    return;
  }
}
