/** Computes the changes of a run to its sessions: denials, grants, refusals, recent calls, parents. */
import { LIMITS } from '../../contract/bounds.ts';
import {
  type AgentFolders,
  type Approval,
  type HumanAnswer,
  MAX_STARTED_FOR,
  type Person,
  type RecentCall,
  type SessionRow,
  type ToolCall,
} from '../../contract/index.ts';
import type { DecidableProposal, ToolCallProposal } from '../../contract/proposal.ts';
import { samePerson } from '../../domain/approval/ballot.ts';
import { idsOfPeople } from '../../domain/people-ids.ts';
import {
  nextVersion,
  sameSession,
  withDenial,
  withGrant,
  withoutStreak,
  withRecent,
  withRefusal,
} from '../../domain/session.ts';
import { isHighSeverity } from '../../domain/severity.ts';
import type { SessionWrites } from '../../ports/stores/session-store.ts';
import type { CallWithVerdict } from '../kernel/calls/authorization/call-with-verdict.ts';
import { runsInOf } from '../kernel/calls/authorization/folders.ts';
import { severityOf } from '../kernel/calls/authorization/severity.ts';
import { answerersOf, peopleOf } from '../kernel/calls/question/impartial.ts';
import { callKeys, type KeyMaker } from './session-keys.ts';

interface SessionOutcome {
  readonly calls: readonly CallWithVerdict[];
  /** Whether everything that was proposed may run. */
  readonly approved: boolean;
  /** A classifier was asked, or may be about a later call: its question tells of these calls. */
  readonly classified: boolean;
  readonly starts?: ToolCallProposal['starts'];
  /** In whose name it was proposed. */
  readonly requester: Person;
}

/** The outcome of a run that people answered in. */
interface AnsweredOutcome extends SessionOutcome {
  /** Ids of the calls that may run. */
  readonly allowed: ReadonlySet<string>;
}

interface Rows {
  readonly own: SessionRow;
  /** The row for every session of the agent. */
  readonly always: SessionRow;
  /** The session that the proposal starts, if it starts one. */
  readonly child: SessionRow | undefined;
  readonly day: string;
  readonly now: number;
  /** The agent's folders when the run began, if they differ from today's. */
  readonly folders?: AgentFolders | undefined;
}

/** The changes after a run without people. Undefined if there are none: then the claim is one put, and no transaction. */
export function changesOf(outcome: SessionOutcome, rows: Rows, keys: KeyMaker): SessionWrites | undefined {
  const { own, now } = rows;
  const at = new Date(now).toISOString();
  let row = own;
  for (const { call, verdict } of outcome.calls) {
    if (verdict.countsForTracker !== true) continue;
    if (verdict.verdict === 'allow') row = withoutStreak(row);
    else if (verdict.verdict === 'deny') row = withDenial(row, keyOf(call, rows, keys), at);
  }
  let recent: RecentCall[] = [];
  if (outcome.classified) {
    recent = outcome.calls.map(({ call, shown = call, verdict }) => ({
      key: keyOf(call, rows, keys),
      toolName: call.toolName.slice(0, 128).toWellFormed(),
      verdict: verdict.verdict,
      files: filesOf(shown),
      at,
    }));
  }
  // Recent calls are written into a row that changes anyway. Alone, recent calls do not change the row, for which all calls of the session would
  // compete.
  if (row !== own) row = withRecent(row, recent);
  else if (recent.length) {
    const recents = [{ ...withRecent(own, recent), updatedAt: at }];
    return { rows: [], ...writesOf(row, rows.always, rows, outcome, keys), recents };
  }
  return writesOf(row, rows.always, rows, outcome, keys);
}

/**
 * The changes after people answered about `answer.calls`. `shared`: they answered on the primary's card; the denial counts there, and so does the
 * approval for later.
 */
export function changesAfterPeople(
  outcome: AnsweredOutcome,
  answer: HumanAnswer,
  rows: Rows,
  { lifetimeMs, shared }: { readonly lifetimeMs: number; readonly shared: boolean },
  keys: KeyMaker,
): SessionWrites | undefined {
  const { own, now } = rows;
  let { always } = rows;
  const at = new Date(now).toISOString();
  let row = own;
  for (const { call, verdict } of outcome.calls) {
    if (!answer.calls.includes(call.id) || verdict.verdict !== 'ask') continue;
    const ownKeys = callKeys(call, outcome.starts, whereOf(call, rows, keys), keys);
    if (!ownKeys) continue;
    const answerers = answerersOf(answer, call.id);
    const by = namesOf(answerers);
    const scope = scopeOf(answer, answerers, shared);
    if (isRejected(answer, call.id)) {
      if (shared) continue;
      const refusal = { key: ownKeys.refused, by: by.slice(0, 300), at, ...reasonOf(answer, call.id) };
      always = withRefusal(always, refusal, now);
      if (verdict.source === 'mode_dispatch') row = withDenial(row, ownKeys.repeated, at);
    }
    // An approval that no longer fits its call was given for another call, so that it is not remembered either.
    else if (answer.result === 'approved' && outcome.allowed.has(call.id)) {
      row = withoutStreak(row);
      const key = scope === 'session' ? ownKeys.exact : ownKeys.allArguments;
      const grant = { key, toolName: call.toolName, ...activeGrants(answerers, by, Date.parse(answer.at), lifetimeMs) };
      if (scope && isGrantable({ call, verdict }, keys)) row = withGrant(row, { ...grant, scope }, now);
    }
  }
  return writesOf(row, always, rows, outcome, keys);
}

/**
 * The run of the primary remembers a shared answer: this one may come later, and would give back what somebody has taken back meanwhile. A row with
 * more givers could not be read again, so that such a call is asked about each time.
 */
const scopeOf = ({ remember }: HumanAnswer, givers: HumanAnswer['by'], shared: boolean) =>
  shared || givers.length > LIMITS.givers ? undefined : remember;

const namesOf = (answerers: HumanAnswer['by']): string => idsOfPeople(peopleOf(answerers)) || 'A person';

function reasonOf({ reason, decisions }: HumanAnswer, id: string): { readonly reason?: string } {
  const own = decisions?.find((decision) => decision.id === id)?.reason ?? reason;
  return own ? { reason: own } : {};
}

const isRejected = ({ result, decisions }: HumanAnswer, id: string): boolean =>
  result === 'rejected' ||
  ((result === 'approved' || result === 'expired') &&
    decisions?.find((decision) => decision.id === id)?.choice === 'reject');

/** Whether an approval may be remembered: not for a rule that asks, nor for a call that needs two people each time. */
const isGrantable = (authorized: Pick<CallWithVerdict, 'call' | 'verdict'>, { policy }: KeyMaker): boolean =>
  !authorized.verdict.rule &&
  authorized.verdict.humanRequired !== true &&
  !isHighSeverity(severityOf(authorized, policy));

/** The givers of a grant and its times, from when they answered: what was taken back since then stays so, however late the run comes. */
const activeGrants = (by: HumanAnswer['by'], ids: string, answeredAt: number, lifetimeMs: number) => ({
  approvedBy: ids.slice(0, 300),
  ...(by.length ? { givenBy: by.map(({ person }) => person) } : {}),
  approvedAt: new Date(answeredAt).toISOString(),
  expiresAt: new Date(answeredAt + lifetimeMs).toISOString(),
});

function writesOf(
  row: SessionRow,
  remembered: SessionRow,
  { own, always, child, day, now }: Rows,
  outcome: SessionOutcome,
  keys: KeyMaker,
): SessionWrites | undefined {
  const at = new Date(now).toISOString();
  const started = outcome.approved && child ? startedBy(own, child, outcome.requester, at, keys) : undefined;
  const changed = [nextVersion(own, row, at), nextVersion(always, remembered, at)];
  const rows = [...changed.filter((one) => one !== own && one !== always), ...(started ? [started] : [])];
  const more = row.total - own.total;
  if (!rows.length) return undefined;
  return { rows, ...(more > 0 ? { denials: { agent: own.agent, day, more } } : {}) };
}

/**
 * The started session with its parent, and with everybody in whose name it was started. A parent that it has already stays, unless the policy file
 * trusts the new one more.
 */
function startedBy(
  own: SessionRow,
  child: SessionRow,
  requester: Person,
  at: string,
  keys: KeyMaker,
): SessionRow | undefined {
  const known = child.startedFor ?? [];
  const isKnown = known.some((one) => samePerson(one, requester));
  const stays = child.parent !== undefined && !isTrustedMore(own.agent, child, keys);
  if (stays && isKnown) return undefined;
  const parent = stays ? child.parent : { agentId: own.agent, sessionId: own.sessionId };
  const startedFor = isKnown ? known : [...known, requester];
  return nextVersion(child, { ...child, ...(parent ? { parent } : {}), startedFor }, at);
}

/** Whether the agent may replace the session's parent: the policy file lists the parents of an agent in the order of trust. */
function isTrustedMore(agent: string, { agent: name, parent }: SessionRow, { policy }: KeyMaker): boolean {
  const parents = policy.settings.agents[name]?.parents ?? [];
  const before = parent ? parents.indexOf(parent.agentId) : -1;
  // A parent that the file no longer lists is replaced by any other.
  return before < 0 || (parents.includes(agent) && parents.indexOf(agent) < before);
}

/** Why the session cannot be started by this one, or undefined. */
export function startProblem(
  proposal: DecidableProposal,
  own: SessionRow,
  child: SessionRow | undefined,
  requester: Person,
  keys: KeyMaker,
): string | undefined {
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  if (!starts) return undefined;
  const settings = keys.policy.settings.agents[starts.agentId];
  const me = { agentId: own.agent, sessionId: own.sessionId };
  if (!settings?.parents.includes(own.agent) || sameSession(starts, me)) return 'unlisted_parent';
  const known = child?.startedFor ?? [];
  if (known.length >= MAX_STARTED_FOR && !known.some((one) => samePerson(one, requester)))
    return 'session_has_too_many_requesters';
  if (!child?.parent || sameSession(child.parent, me) || isTrustedMore(own.agent, child, keys)) return undefined;
  return 'session_has_parent';
}

/** The narrowest memory that all approving votes allow, or undefined for none. */
export function rememberOf({ votes }: Approval): HumanAnswer['remember'] {
  const scopes = votes.flatMap((vote) => (vote.choice === 'approve' ? [vote.remember] : []));
  if (!scopes.length || scopes.includes(undefined)) return undefined;
  return scopes.includes('session') ? 'session' : 'session-all-tools';
}

function whereOf(call: ToolCall, { own, always, folders }: Rows, { policy }: KeyMaker) {
  const settings = policy.settings.agents[own.agent];
  const mode = own.mode ?? always.mode ?? settings?.mode ?? 'default';
  const agentMode = always.mode === mode ? undefined : always.mode;
  const runsIn = runsInOf(call, folders ?? settings ?? { projectRoot: '', home: '' });
  return { agent: own.agent, sessionId: own.sessionId, mode, agentMode, in: runsIn } as const;
}

/** The key by which the call is recognised. Every call that was judged has a JSON form, so that `UNKNOWN` is never used in practice. */
const keyOf = (call: ToolCall, rows: Rows, keys: KeyMaker): string =>
  callKeys(call, undefined, whereOf(call, rows, keys), keys)?.repeated ?? UNKNOWN;
const UNKNOWN = '0'.repeat(64);

const FILE_FIELDS = ['file_path', 'path', 'notebook_path'] as const;

function filesOf({ input }: ToolCall): string[] {
  const fields = (input ?? {}) as Record<string, unknown>;
  return FILE_FIELDS.flatMap((field) => {
    const value = fields[field];
    return typeof value === 'string' ? [value.slice(0, 300).toWellFormed()] : [];
  });
}
