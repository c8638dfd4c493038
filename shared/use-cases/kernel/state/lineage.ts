/** Finds the agents and people that a session works for: none of these people may approve its calls. */
import type { Policy } from '../../../config/compile.ts';
import type { Approval, Person, SessionRow } from '../../../contract/index.ts';
import { samePerson } from '../../../domain/approval/ballot.ts';
import { sessionKey } from '../../../ports/stores/claim-store.ts';
import { ownersOf } from '../../people/seats.ts';

export interface Lineage {
  /** The session's own agent first, then those above it, whatever their modes are. */
  readonly agents: readonly string[];
  /** In whose names the sessions above have started it. */
  readonly requesters: readonly Person[];
}

interface Reader {
  readonly policy: Policy;
  row(agent: string, sessionId: string): Promise<Pick<SessionRow, 'parent' | 'startedFor'>>;
}

/** One more is no real family of agents: everybody who owns one counts then. */
const MAX_SESSIONS = 16;

/**
 * Each session that was started belongs to the one that started it. A session that nobody started may belong to any of the agents that the
 * file lists as its parents, because agents choose the names of sessions.
 */
export async function lineageOf(
  from: { readonly agent: string; readonly sessionId: string },
  { policy, row }: Reader,
): Promise<Lineage> {
  const agents: string[] = [];
  const requesters: Person[] = [];
  const seen = new Set<string>();
  let at: { readonly agent: string; readonly sessionId: string } = from;
  for (;;) {
    const key = sessionKey(at.agent, at.sessionId);
    agents.push(at.agent);
    if (seen.has(key)) break;
    seen.add(key);
    if (seen.size > MAX_SESSIONS) {
      agents.push(...Object.keys(policy.settings.agents));
      break;
    }
    const { parent, startedFor = [] } = await row(at.agent, at.sessionId);
    requesters.push(...startedFor);
    if (!parent) {
      agents.push(...ancestorsOf([at.agent], policy));
      break;
    }
    at = { agent: parent.agentId, sessionId: parent.sessionId };
  }
  return { agents: [...new Set(agents)], requesters: distinct(requesters) };
}

/** All agents that the file lets start sessions of these, of their parents, and so on. */
export function ancestorsOf(agents: readonly string[], { settings }: Pick<Policy, 'settings'>): string[] {
  const found = new Set(agents);
  for (const name of found)
    for (const parent of (Object.hasOwn(settings.agents, name) ? settings.agents[name]?.parents : undefined) ?? [])
      found.add(parent);
  return [...found].filter((name) => !agents.includes(name));
}

/** As a row of an approval holds it; absent where nobody is above. */
export function aboveOf({ agents, requesters }: Lineage, policy: Policy): Pick<Approval, 'above'> {
  const [, ...others] = agents;
  if (!others.length && !requesters.length) return {};
  return { above: { agents: others, owners: distinct(ownersOf(others, policy)), requesters: [...requesters] } };
}

/** Everybody for whom the session works today, beside the requester of the call itself. */
export const peopleAbove = ({ agents, requesters }: Lineage, policy: Policy): Person[] =>
  distinct([...ownersOf(agents, policy), ...requesters]);

const distinct = (people: readonly Person[]): Person[] =>
  people.filter((one, index) => people.findIndex((other) => samePerson(one, other)) === index);
