/** Reads the session of a proposal and those above it, as the kernel is told of them. */
import { DEFAULT_SESSION } from '../../../contract/bounds.ts';
import type { SessionEntry, SessionRow } from '../../../contract/index.ts';
import type { DecidableProposal } from '../../../contract/proposal.ts';
import type { Control } from '../../../ports/stores/control.ts';
import { lineageOf } from '../../kernel/state/lineage.ts';
import { modeOf, type Session } from '../../kernel/state/session.ts';
import { messages } from '../../model-messages.ts';
import { unseenIn } from '../../redaction/redact-proposal.ts';
import { chainReader, type SessionCache } from '../../sessions/session-cache.ts';
import { chainOf } from '../../sessions/session-chain.ts';
import { startProblem } from '../../sessions/session-updates.ts';
import type { Admitted, Refused } from '../admission/admit-proposal.ts';
import type { IntakeDependencies } from '../dependencies.ts';

export interface SessionFacts {
  readonly kind: 'known';
  readonly own: SessionRow;
  /** The session that the proposal starts. */
  readonly child: SessionRow | undefined;
  readonly session: Session;
  /** For the journal: what was remembered when the run began. */
  readonly entry: SessionEntry;
}

export async function sessionFactsOf(
  { message, proposal, settings, requester, redacted }: Admitted,
  { sessionCache, control }: { readonly sessionCache: SessionCache; readonly control: Control },
  deps: IntakeDependencies,
): Promise<SessionFacts | (Refused & Pick<SessionFacts, 'own'>)> {
  const { startedAt: now, subject } = message;
  const { agent, pid, sessionId = DEFAULT_SESSION } = subject;
  const own = await sessionCache.row(agent, sessionId);
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const child = starts && (await sessionCache.row(starts.agentId, starts.sessionId));
  const problem = parentMismatch(own.parent, proposal) ?? startProblem(proposal, own, child, requester, deps);
  if (problem) return { kind: 'refused', code: problem, message: messages.parentProblem(), own };
  const reader = chainReader(sessionCache, deps, control);
  const lineage = await lineageOf({ agent, sessionId }, reader);
  const sender = { agent, sessionId, requester, lineage, unseen: await unseenIn(redacted.proposal) };
  const chain = await chainOf(sender, proposal, now, reader);
  const mode = modeOf(chain, settings.mode);
  const session: Session = { pid, agent, settings, sessionId, requester, mode, control, lineage };
  const entry: SessionEntry = {
    type: 'session',
    place: 'session',
    round: 0,
    at: new Date(now).toISOString(),
    ...chain,
    folders: { projectRoot: settings.projectRoot, home: settings.home },
    levels: [...chain.levels],
    possible: chain.possible && [...chain.possible],
  };
  return { kind: 'known', own, child, session, entry };
}

/** A session that has a parent cannot name another one. */
function parentMismatch(parent: SessionRow['parent'], proposal: DecidableProposal): string | undefined {
  const { parentAgentId, parentSessionId } = proposal;
  if (!parent || (parentAgentId === undefined && parentSessionId === undefined)) return undefined;
  const same =
    (parentAgentId ?? parent.agentId) === parent.agentId && (parentSessionId ?? parent.sessionId) === parent.sessionId;
  return same ? undefined : 'not_your_parent';
}
