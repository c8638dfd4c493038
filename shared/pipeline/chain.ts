/** From session rows to the facts of one proposal: the session's own level, and in bubble those of its parents up to the root (D9, A3). */
import type { Policy } from '../config/compile.ts';
import type { AgentSettings } from '../config/schema.ts';
import {
  type ChainEnd,
  EVERY_SESSION,
  type LevelFacts,
  type Mode,
  type SessionRow,
  type SessionRule,
} from '../contract/index.ts';
import type { DecidableProposal } from '../contract/proposal.ts';
import { grantHolds, refusalHolds, ruleHolds } from '../domain/session.ts';
import { sessionKey } from '../ports/claim-store.ts';
import type { Chain } from './session.ts';
import { callKeys, type KeyMaker } from './session-keys.ts';

/** D9: one more is a denial. */
const MOST_PARENTS = 16;

export interface ChainReader extends KeyMaker {
  readonly policy: Policy;
  row(agent: string, sessionId: string): Promise<SessionRow>;
  /** Denials of an agent on this day, in all its sessions. */
  denied(agent: string): Promise<number>;
}

/** A session as it is now. */
export interface Standing {
  readonly row: SessionRow;
  readonly mode: Mode;
  readonly settings: AgentSettings;
  /** Of every session of its agent, and its own. */
  readonly rules: readonly SessionRule[];
}

/** Parents are read only where the mode asks for them: a session that does not escalate costs no read beyond its own. */
export async function climb(
  from: { readonly agent: string; readonly sessionId: string; readonly mode: Mode | undefined },
  now: number,
  { policy, row }: Pick<ChainReader, 'policy' | 'row'>,
): Promise<{ readonly levels: readonly Standing[]; readonly end: ChainEnd }> {
  const levels: Standing[] = [];
  const seen = new Set<string>();
  let at = { agent: from.agent, sessionId: from.sessionId };
  for (;;) {
    const settings = policy.settings.agents[at.agent];
    if (!settings) return { levels, end: 'unlisted' };
    const own = await row(at.agent, at.sessionId);
    const always = await row(at.agent, EVERY_SESSION);
    const rules = [...always.rules, ...own.rules].filter((rule) => ruleHolds(rule, now));
    const mode = own.mode ?? settings.mode;
    levels.push({ row: own, mode, settings, rules });
    seen.add(sessionKey(at.agent, at.sessionId));
    const escalates = mode === 'bubble' || (levels.length === 1 && from.mode === 'bubble');
    const { parent } = own;
    if (!escalates || !parent) return { levels, end: 'root' };
    if (!settings.parents.includes(parent.agentId)) return { levels, end: 'unlisted' };
    if (seen.has(sessionKey(parent.agentId, parent.sessionId)) || levels.length > MOST_PARENTS)
      return { levels, end: 'cycle' };
    at = { agent: parent.agentId, sessionId: parent.sessionId };
  }
}

/** What is remembered of one proposal in its session and those above it. */
export async function chainOf(
  agent: string,
  sessionId: string,
  proposal: DecidableProposal,
  now: number,
  reader: ChainReader,
): Promise<Chain> {
  const mode = proposal.kind === 'tool-call' ? proposal.mode : undefined;
  const { levels, end } = await climb({ agent, sessionId, mode }, now, reader);
  const known: LevelFacts[] = [];
  const projectRoot = levels[0]?.settings.projectRoot ?? '';
  for (const level of levels)
    known.push(levelOf(level, projectRoot, await reader.denied(level.row.agent), proposal, now, reader));
  return { levels: known, end };
}

/** One row as it holds now: expiry is compared here, whatever the table still has (G16). */
function levelOf(
  { row, mode, rules }: Standing,
  projectRoot: string,
  deniedToday: number,
  proposal: DecidableProposal,
  now: number,
  reader: ChainReader,
): LevelFacts {
  const grants = row.grants.filter((grant) => grantHolds(grant, now));
  const refusals = row.refusals.filter((refusal) => refusalHolds(refusal, now));
  const remembers = grants.length > 0 || refusals.length > 0 || row.denied.length > 0;
  const calls =
    proposal.kind !== 'tool-call' || !remembers
      ? []
      : proposal.calls.flatMap((call) => {
          const keys = callKeys(call, { agent: row.agent, sessionId: row.sessionId, mode, projectRoot }, reader);
          if (!keys) return [];
          const grant = grants.find(({ key, scope }) =>
            scope === 'session' ? key === keys.exact : key === keys.allArguments,
          );
          const refusal = refusals.findLast(({ key }) => key === keys.action);
          return [
            {
              id: call.id,
              ...(grant ? { grant: { scope: grant.scope, approvedBy: grant.approvedBy } } : {}),
              ...(refusal
                ? { refusal: { by: refusal.by, ...(refusal.reason ? { reason: refusal.reason } : {}) } }
                : {}),
              ...(row.denied.includes(keys.repeated) ? { deniedBefore: true } : {}),
            },
          ];
        });
  return {
    agent: row.agent,
    sessionId: row.sessionId,
    mode,
    rules: [...rules],
    consecutive: row.consecutive,
    // A new session does not start at zero (A3).
    total: Math.max(row.total, deniedToday),
    calls,
  };
}
