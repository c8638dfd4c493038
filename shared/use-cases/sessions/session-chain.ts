/** Turns session rows into the facts about one proposal; in mode bubble those of its parents, too. */
import type { Policy } from '../../config/compile.ts';
import { usersOf } from '../../config/readers/record-people.ts';
import type { AgentSettings } from '../../config/schema/policy-file.ts';
import { DEFAULT_SESSION, LIMITS } from '../../contract/bounds.ts';
import {
  type AgentFolders,
  type ChainEnd,
  EVERY_SESSION,
  type LevelFacts,
  type Mode,
  type Person,
  type SessionRow,
  type SessionRule,
  type StoredGrant,
  type StoredRefusal,
} from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import { samePerson } from '../../domain/approval/ballot.ts';
import { usersIn } from '../../domain/people-ids.ts';
import { grantHolds, isRevoked, isRuleVoided, isVoided, refusalHolds, ruleHolds } from '../../domain/session.ts';
import { sessionKey } from '../../ports/stores/claim-store.ts';
import type { Control } from '../../ports/stores/control.ts';
import type { DelegationStore } from '../../ports/stores/delegation-store.ts';
import { runsInOf } from '../kernel/calls/authorization/folders.ts';
import { type AnsweredCall, mayApprove } from '../kernel/calls/question/may-approve.ts';
import { type Lineage, peopleAbove } from '../kernel/state/lineage.ts';
import type { Chain } from '../kernel/state/session.ts';
import { type CallKeys, callKeys, type KeyMaker } from './session-keys.ts';

/** A longer chain ends as a cycle does, in a denial. */
const MAX_PARENTS = 16;

export interface ChainReader extends KeyMaker {
  row(agent: string, sessionId: string): Promise<SessionRow>;
  /** Denials of an agent on this day, in all its sessions. */
  denied(agent: string): Promise<number>;
  readonly delegations: Pick<DelegationStore, 'read'>;
  readonly control: Pick<Control, 'voidedAt'>;
}

/** A session as it is now. */
export interface ParentStanding {
  readonly row: SessionRow;
  readonly mode: Mode;
  /** The mode that was set for every session of the agent, where the session has one of its own: the stricter holds. */
  readonly agentMode?: Mode | undefined;
  readonly settings: AgentSettings;
  /** Rules of this session, and those for every session of the agent. */
  readonly rules: readonly SessionRule[];
  /** The row for every session of the agent: refusals and revoked grants count from there, too. */
  readonly always: SessionRow;
}

interface Climbed {
  readonly levels: readonly ParentStanding[];
  readonly end: ChainEnd;
  /** Nobody started the last session, and it escalates: any of these agents may be its parent. */
  readonly possible: readonly string[];
}

/** Parents are read only where the mode asks for them: a session that does not escalate costs no read beyond its own. */
export async function climb(
  from: { readonly agent: string; readonly sessionId: string; readonly mode: Mode | undefined },
  now: number,
  { policy, row }: Pick<ChainReader, 'policy' | 'row'>,
): Promise<Climbed> {
  const levels: ParentStanding[] = [];
  const seen = new Set<string>();
  let at = { agent: from.agent, sessionId: from.sessionId };
  for (;;) {
    const settings = policy.settings.agents[at.agent];
    if (!settings) return { levels, end: 'unlisted', possible: [] };
    const own = await row(at.agent, at.sessionId);
    const always = await row(at.agent, EVERY_SESSION);
    const rules = [...always.rules, ...own.rules].filter((rule) => ruleHolds(rule, now));
    const mode = own.mode ?? always.mode ?? settings.mode;
    const agentMode = always.mode === undefined || always.mode === mode ? {} : { agentMode: always.mode };
    levels.push({ row: own, mode, ...agentMode, settings, rules, always });
    seen.add(sessionKey(at.agent, at.sessionId));
    const modes = [mode, agentMode.agentMode, levels.length === 1 ? from.mode : undefined];
    if (!modes.includes('bubble')) return { levels, end: 'root', possible: [] };
    const { parent } = own;
    if (!parent) return { levels, end: 'root', possible: settings.parents };
    if (!settings.parents.includes(parent.agentId)) return { levels, end: 'unlisted', possible: [] };
    if (seen.has(sessionKey(parent.agentId, parent.sessionId)) || levels.length > MAX_PARENTS)
      return { levels, end: 'cycle', possible: [] };
    at = { agent: parent.agentId, sessionId: parent.sessionId };
  }
}

/** The sender of a proposal. */
interface Sender {
  readonly agent: string;
  readonly sessionId: string;
  readonly requester: Person;
  readonly lineage: Lineage;
  /** Calls whose marks hide more than values: nobody has seen one, so that no approval for later answers it. */
  readonly unseen?: ReadonlySet<string> | undefined;
}

/** Reads the memory about one proposal: of its session and of those above it. */
export async function chainOf(
  { agent, sessionId, ...sender }: Sender,
  proposal: DecidableProposal,
  now: number,
  reader: ChainReader,
): Promise<Chain> {
  const mode = proposal.kind === 'tool-call' ? proposal.mode : undefined;
  const { levels, end, possible } = await climb({ agent, sessionId, mode }, now, reader);
  const settings = levels[0]?.settings ?? { projectRoot: '', home: '' };
  const about = { proposal, folders: settings, ...sender };
  const known: LevelFacts[] = [];
  for (const [depth, level] of levels.entries()) {
    const agents = levels.slice(0, depth + 1).map(({ row }) => row.agent);
    known.push(await levelOf(level, { ...about, agents }, now, reader));
  }
  const mayBe = await possibleParents(possible, { ...about, agents: levels.map(({ row }) => row.agent) }, now, reader);
  // A denial of one that is left out would be lost.
  if (mayBe.length > LIMITS.possibleParents) return { levels: known, end: 'cycle' };
  return { levels: known, end, ...(mayBe.length ? { possible: mayBe } : {}) };
}

/**
 * The chains above a session that nobody started, without what people gave: one for each agent that may have started it, or one of those that may
 * have. Stops at one more than may count.
 */
async function possibleParents(
  parents: readonly string[],
  about: About,
  now: number,
  reader: ChainReader,
): Promise<NonNullable<Chain['possible']>> {
  const chains: { levels: LevelFacts[]; end: ChainEnd }[] = [];
  const agents = new Set(parents);
  for (const agent of agents) {
    if (about.agents.includes(agent)) continue;
    const from = { agent, sessionId: DEFAULT_SESSION, mode: undefined };
    const { levels, end, possible } = await climb(from, now, reader);
    const known: LevelFacts[] = [];
    for (const level of levels)
      known.push({ ...(await levelOf(level, about, now, reader)), calls: [], consecutive: 0, total: 0 });
    chains.push({ levels: known, end });
    if (chains.length > LIMITS.possibleParents) break;
    for (const one of possible) agents.add(one);
  }
  return chains;
}

interface About extends Pick<Sender, 'requester' | 'lineage' | 'unseen'> {
  readonly proposal: DecidableProposal;
  /** Where the proposal's own agent works. */
  readonly folders: AgentFolders;
  /** From the proposal's own agent up to that of the level: each is asked about the call. */
  readonly agents: readonly string[];
}

/** One row as it holds now: expiry is compared here, whatever the table still has. */
async function levelOf(
  { row, mode, agentMode, rules, always }: ParentStanding,
  about: About,
  now: number,
  reader: ChainReader,
): Promise<LevelFacts> {
  const deniedToday = await reader.denied(row.agent);
  return {
    agent: row.agent,
    sessionId: row.sessionId,
    mode,
    ...(agentMode ? { agentMode } : {}),
    rules: rules.filter((rule) => isImpartial(rule, about, reader) && !isRuleVoided(rule, reader.control)),
    consecutive: row.consecutive,
    // A new session does not start at zero.
    total: Math.max(row.total, deniedToday),
    calls: await rememberedCalls({ row, mode, agentMode, always }, about, now, reader),
  };
}

/** An operator allows nothing to an agent of their own or one that works for it, nor to one that asks in their name. */
function isImpartial({ effect, by }: SessionRule, { lineage, requester }: About, { policy }: ChainReader): boolean {
  const { operators } = policy.settings;
  if (effect !== 'allow') return true;
  const operator = Object.hasOwn(operators, by) ? operators[by] : undefined;
  // A former operator could not allow it now, and which agents were theirs cannot be told.
  if (!operator) return false;
  const giver = policy.person(operator.person);
  return ![...peopleAbove(lineage, policy), requester].some((one) => samePerson(one, giver));
}

async function rememberedCalls(
  { row, mode, agentMode, always }: Pick<ParentStanding, 'row' | 'mode' | 'agentMode' | 'always'>,
  { proposal, folders, requester, agents, lineage, unseen }: About,
  now: number,
  reader: ChainReader,
): Promise<LevelFacts['calls']> {
  const grants = row.grants.filter(
    (grant) => grantHolds(grant, now) && !isRevoked(grant, row, always) && !isVoided(grant, reader.control),
  );
  const refusals = [...row.refusals, ...always.refusals].filter((refusal) => refusalHolds(refusal, now));
  const remembers = grants.length > 0 || refusals.length > 0 || row.denied.length > 0;
  if (proposal.kind !== 'tool-call' || !remembers) return [];
  const calls: LevelFacts['calls'] = [];
  for (const call of proposal.calls) {
    const where = { agent: row.agent, sessionId: row.sessionId, mode, agentMode, in: runsInOf(call, folders) };
    const keys = callKeys(call, proposal.starts, where, reader);
    if (!keys) continue;
    const answered = { toolName: call.toolName, agents, requester, lineage };
    const grant = unseen?.has(call.id) ? undefined : await grantFor(keys, grants, answered, now, reader);
    const refusal = refusals.findLast(({ key }) => key === keys.refused);
    calls.push({
      id: call.id,
      ...(grant ? { grant: { scope: grant.scope, approvedBy: grant.approvedBy, key: grant.key } } : {}),
      ...(refusal ? { refusal: refusalFact(refusal, reader.policy) } : {}),
      ...(row.denied.includes(keys.repeated) ? { deniedBefore: true } : {}),
    });
  }
  return calls;
}

/** A record with aliases knows the people of the policy file, and may have forgotten anybody else: nobody else is named. */
function refusalFact({ by, reason }: StoredRefusal, { record, settings }: Policy) {
  const listed = usersOf(settings);
  const isNamed = !record.hasAliases || usersIn(by).every((user) => listed.has(user));
  return { by: isNamed ? by : 'A person', ...(reason ? { reason } : {}) };
}

/** The first that was given for this call by people who could give it now. */
async function grantFor(
  keys: CallKeys,
  grants: readonly StoredGrant[],
  { agents, ...about }: Omit<AnsweredCall, 'questioned'> & Pick<About, 'agents'>,
  now: number,
  reader: ChainReader,
): Promise<StoredGrant | undefined> {
  const all = reader.policy.settings.agents;
  const questioned = agents.flatMap((agent) => {
    const settings = Object.hasOwn(all, agent) ? all[agent] : undefined;
    return settings ? [{ settings }] : [];
  });
  if (questioned.length < agents.length) return undefined;
  for (const grant of grants) {
    if (grant.key !== (grant.scope === 'session' ? keys.exact : keys.allArguments)) continue;
    if (await mayApprove(grant.givenBy ?? [], { ...about, questioned }, now, reader)) return grant;
  }
  return undefined;
}
