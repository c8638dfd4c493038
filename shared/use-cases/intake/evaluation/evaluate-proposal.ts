/** Takes one proposal from its message to its claim: admit, decide, commit. */
import { DEFAULT_SESSION } from '../../../contract/bounds.ts';
import type { DecidableProposal } from '../../../contract/proposal.ts';
import { CONFLICT, retryOnConflict } from '../../retry-on-conflict.ts';
import { type Admitted, admitProposal } from '../admission/admit-proposal.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Identified } from '../message.ts';
import { commit, defer, refuse } from './commit.ts';
import { type Attempt, decideInSession, type Known } from './decide-in-session.ts';

export async function evaluate(
  message: Identified,
  proposal: DecidableProposal,
  known: Known,
  deps: IntakeDependencies,
): Promise<void> {
  const admitted = await admitProposal(message, proposal, deps);
  if (admitted.kind === 'refused') {
    await refuse(message, admitted, deps);
    return;
  }
  const attempt = await decideInSession(admitted, admitted.journal, known, deps);
  if (attempt.kind === 'deferred') return defer(message, deps);
  if (attempt.writes) return commitInTurn(attempt, admitted, known, deps);
  await commit(attempt, admitted, deps);
}

/** Commits a run that changes its session, one message of the batch after the other. A run is repeated if another one changed the session. */
function commitInTurn(first: Attempt, admitted: Admitted, known: Known, deps: IntakeDependencies): Promise<void> {
  const { sessionCache } = known;
  const { agent, sessionId = DEFAULT_SESSION } = admitted.message.subject;
  let attempt = first;
  return sessionCache.runExclusive(agent, sessionId, () =>
    retryOnConflict('the session kept changing while it was written', async () => {
      if (attempt.kind !== 'deferred' && (await sessionCache.row(agent, sessionId)) !== attempt.own)
        attempt = await decideInSession(admitted, attempt.answersSoFar, known, deps);
      if (attempt.kind === 'deferred') return defer(admitted.message, deps);
      if ((await commit(attempt, admitted, deps)) === CONFLICT) {
        sessionCache.invalidate();
        return CONFLICT;
      }
      if (attempt.writes) sessionCache.apply(attempt.writes);
      return undefined;
    }),
  );
}
