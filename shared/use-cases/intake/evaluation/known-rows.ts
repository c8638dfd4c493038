/** Reads the rows that the decisions of one batch depend on, in one request. */
import { dayOf } from '../../../domain/session.ts';
import { SessionCache } from '../../sessions/session-cache.ts';
import { sessionNames } from '../../sessions/session-names.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Identified } from '../message.ts';
import type { Known } from './decide-in-session.ts';

/** @throws what the store throws */
export async function knownOf(working: readonly Identified[], deps: IntakeDependencies): Promise<Known> {
  const day = dayOf(deps.clock.now());
  const keys = working.map((message) => ({ ...message.subject, sessions: sessionsOf(message, deps) }));
  const view = await deps.claims.readBatch(keys, day, working.every(isOnlyDecided) ? 'likely' : 'latest');
  const sessions = keys.flatMap((key) => key.sessions);
  return { ...view, sessionCache: new SessionCache(deps.sessions, day, view, sessions) };
}

/** Whether the message does nothing before its claim: a task runs tools, and one that comes again may ask a model, which is not asked twice. */
const isOnlyDecided = ({ read, incoming }: Identified): boolean =>
  incoming.rounds === 0 && !(read.ok && read.proposal.kind === 'task-message');

function sessionsOf({ agent, read }: Identified, deps: IntakeDependencies) {
  if (agent === undefined || !deps.policy.settings.agents[agent]) return [];
  if (!read.ok || read.proposal.kind === 'cancel') return [];
  const { proposal } = read;
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  return sessionNames({ agent, sessionId: proposal.sessionId }, starts, deps.policy);
}
