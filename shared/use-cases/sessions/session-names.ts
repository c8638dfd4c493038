/** Names the session rows that a decision may depend on or change, for one read of them all. */
import type { Policy } from '../../config/compile.ts';
import { DEFAULT_SESSION } from '../../contract/bounds.ts';
import { EVERY_SESSION } from '../../contract/session.ts';
import type { SessionName } from '../../ports/stores/session-store.ts';
import { countsDenials, tellsModel } from './session-reads.ts';

/**
 * The sender's own session, the row of all its sessions, and the session that the call starts. Parents, and the denials of whoever is started, are
 * read on demand.
 */
export function sessionNames(
  { agent, sessionId = DEFAULT_SESSION }: { readonly agent: string; readonly sessionId?: string | undefined },
  starts: { readonly agentId: string; readonly sessionId: string } | undefined,
  policy: Pick<Policy, 'settings'>,
): SessionName[] {
  const withoutRecent = !tellsModel(policy);
  const withoutDenials = !countsDenials(policy, agent);
  const names: SessionName[] = [
    { agent, sessionId, withoutRecent, withoutDenials },
    { agent, sessionId: EVERY_SESSION, withoutDenials },
  ];
  if (!starts) return names;
  return [...names, { agent: starts.agentId, sessionId: starts.sessionId, withoutRecent, withoutDenials: true }];
}
