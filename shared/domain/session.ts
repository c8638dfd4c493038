/** Changes a session row, purely; the adapter writes on the condition of the version that was read. */
import {
  EVERY_SESSION,
  type Mode,
  type Person,
  type RecentCall,
  type SessionName,
  type SessionRow,
  type SessionRule,
  type StoredGrant,
  type StoredRefusal,
} from '../contract/index.ts';
import { canonicalJson, lengthDelimited, sha256Hex } from './digest.ts';
import { ownValue } from './own.ts';

/** A person's refusal answers the same call for this long. */
const REFUSAL_MS = 5 * 60 * 1000;
const MAX_ROWS = { denied: 100, grants: 100, refusals: 50, recent: 20, rules: 50 } as const;

export const sameSession = (a: SessionName, b: SessionName): boolean =>
  a.agentId === b.agentId && a.sessionId === b.sessionId;

/** A session that nothing was remembered of yet. */
export function newSession(agent: string, sessionId: string): SessionRow {
  return {
    agent,
    sessionId,
    version: 0,
    rules: [],
    consecutive: 0,
    total: 0,
    denied: [],
    grants: [],
    refusals: [],
    recent: [],
    updatedAt: '1970-01-01T00:00:00.000Z',
  };
}

/** Fields of a row that serve its writers alone. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['version', 'updatedAt', 'done', 'order']);

/** Whether the row remembers nothing of its session, besides the operations that it has heard: one that found no session leaves such a row. */
export function isBlank(row: SessionRow): boolean {
  const blank: Readonly<Record<string, unknown>> = newSession(row.agent, row.sessionId);
  return Object.entries(row).every(
    ([field, value]) =>
      BOOKKEEPING.has(field) ||
      (field === 'revoked' && row.sessionId !== EVERY_SESSION) ||
      canonicalJson(value ?? []) === canonicalJson(ownValue(blank, field) ?? []),
  );
}

/** Days are UTC's: the denials of an agent are counted per day, whatever its sessions are called. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** One denial more; `key` is what recognises the same call again. */
export function withDenial(row: SessionRow, key: string, at: string): SessionRow {
  const denied = [...row.denied.filter((other) => other !== key), key].slice(-MAX_ROWS.denied);
  return { ...row, consecutive: row.consecutive + 1, total: row.total + 1, lastDeniedAt: at, denied };
}

/** "In a row" ends; the total never goes back. The row itself if there is nothing to end. */
export const withoutStreak = (row: SessionRow): SessionRow =>
  row.consecutive === 0 ? row : { ...row, consecutive: 0 };

export const withRecent = (row: SessionRow, calls: readonly RecentCall[]): SessionRow =>
  calls.length ? { ...row, recent: [...row.recent, ...calls].slice(-MAX_ROWS.recent) } : row;

/** The row with what stands beside it: the later of the two lists of recent calls. */
export function besideRecent(row: SessionRow, beside: readonly RecentCall[] | undefined): SessionRow {
  const isLater = beside?.length && (beside.at(-1)?.at ?? '') >= (row.recent.at(-1)?.at ?? '');
  return isLater ? { ...row, recent: [...beside] } : row;
}

/** Approving again starts the grant's life anew; the oldest go first, and what is over goes with them. */
export function withGrant(row: SessionRow, grant: StoredGrant, now: number): SessionRow {
  const others = row.grants.filter(({ key, expiresAt }) => key !== grant.key && now < Date.parse(expiresAt));
  return { ...row, grants: [...others, grant].slice(-MAX_ROWS.grants) };
}

export function withRefusal(row: SessionRow, refusal: StoredRefusal, now: number): SessionRow {
  const others = row.refusals.filter((other) => other.key !== refusal.key && refusalHolds(other, now));
  return { ...row, refusals: [...others, refusal].slice(-MAX_ROWS.refusals) };
}

/** `approvedAt <= now < expiresAt`, even if the table still holds the grant. An unreadable time compares false. */
export const grantHolds = ({ approvedAt, expiresAt }: StoredGrant, now: number): boolean =>
  Date.parse(approvedAt) <= now && now < Date.parse(expiresAt);

export const refusalHolds = ({ at }: StoredRefusal, now: number): boolean =>
  Date.parse(at) <= now && now < Date.parse(at) + REFUSAL_MS;

export const ruleHolds = ({ expiresAt }: SessionRule, now: number): boolean =>
  expiresAt === undefined || now < Date.parse(expiresAt);

export function withMode(row: SessionRow, mode: Mode | undefined): SessionRow {
  const { mode: _, ...rest } = row;
  return mode === undefined ? rest : { ...rest, mode };
}

/** Undefined if the row holds as many rules as it may: a rule is never dropped for another. */
export function withRule(row: SessionRow, rule: SessionRule, now: number): SessionRow | undefined {
  const others = row.rules.filter(
    (other) => ruleHolds(other, now) && !(other.effect === rule.effect && other.pattern === rule.pattern),
  );
  return others.length >= MAX_ROWS.rules ? undefined : { ...row, rules: [...others, rule] };
}

/** Without the rule of this effect and pattern; undefined if there is none. */
export function withoutRule(
  row: SessionRow,
  { effect, pattern }: Pick<SessionRule, 'effect' | 'pattern'>,
): SessionRow | undefined {
  const rules = row.rules.filter((other) => !(other.effect === effect && other.pattern === pattern));
  return rules.length === row.rules.length ? undefined : { ...row, rules };
}

const MAX_REVOKED = 50;

/**
 * Takes back what was given until now. The mark counts for grants that are written later by a decision that a crash delayed and, in the row of every
 * session, for those that stand in rows of their own.
 */
export function withoutGrantsUntil(row: SessionRow, toolName: string | undefined, now: number): SessionRow {
  const at = new Date(now).toISOString();
  const others = (row.revoked ?? []).filter((one) => toolName !== undefined && one.toolName !== toolName);
  const isFull = others.length >= MAX_REVOKED;
  // With no room left all tools are meant: people are asked again rather than not.
  const revoked = isFull || toolName === undefined ? [{ at }] : [...others, { toolName, at }];
  return { ...withoutGrants(row, toolName), revoked };
}

/** Whether a grant was taken back with all others of its session or its agent: `rows` are that of its session and that of every session. */
export const isRevoked = (
  { toolName, approvedAt }: StoredGrant,
  ...rows: readonly (Pick<SessionRow, 'revoked'> | undefined)[]
): boolean =>
  rows
    .flatMap((row) => row?.revoked ?? [])
    .some((one) => (one.toolName ?? toolName) === toolName && Date.parse(approvedAt) <= Date.parse(one.at));

/** Whether the grant is older than the epoch of a restore, which voids all earlier ones. A grant with an unreadable time is void. */
export const isVoided = (
  { approvedAt }: Pick<StoredGrant, 'approvedAt'>,
  { voidedAt }: { readonly voidedAt?: number | undefined },
): boolean => voidedAt !== undefined && !(Date.parse(approvedAt) > voidedAt);

/** The same of a rule that allows: one that was taken back after the restored time is there again. Denials and questions hold. */
export const isRuleVoided = (
  { effect, at }: Pick<SessionRule, 'effect' | 'at'>,
  control: { readonly voidedAt?: number | undefined },
): boolean => effect === 'allow' && isVoided({ approvedAt: at ?? '' }, control);

/** Drops grants and allow rules, of one tool or all; denials, refusals and what tightens stay. */
function withoutGrants(row: SessionRow, toolName: string | undefined): SessionRow {
  const stays = (tool: string) => toolName !== undefined && tool !== toolName;
  return {
    ...row,
    grants: row.grants.filter((grant) => stays(grant.toolName)),
    rules: row.rules.filter(({ effect, pattern }) => effect !== 'allow' || stays(toolOf(pattern))),
  };
}

/** A revocable grant of people, with the id by which it is listed and revoked: an approval for later, or a rule that allows. */
export interface ActiveGrant {
  readonly id: string;
  readonly agent: string;
  /** Absent: it holds in every session of the agent. */
  readonly sessionId?: string;
  readonly toolName: string;
  readonly what: 'call' | 'tool' | 'rule';
  /** The pattern of a rule. */
  readonly pattern?: string;
  /** For display. */
  readonly by: string;
  readonly givenBy: readonly Person[];
  /** Absent: until it is taken back. */
  readonly expiresAt?: string;
}

/** Grants that hold at `now`. */
export function grantsIn(row: SessionRow, now: number): ActiveGrant[] {
  const where = { agent: row.agent, ...(row.sessionId === EVERY_SESSION ? {} : { sessionId: row.sessionId }) };
  const grants = row.grants
    .filter((grant) => grantHolds(grant, now))
    .map((grant): ActiveGrant => {
      const { toolName, approvedBy: by, givenBy = [], expiresAt } = grant;
      const what = grant.scope === 'session' ? 'call' : 'tool';
      const people = givenBy.map(({ team, user }) => ({ team, user }));
      return { id: idOfGrant(row, grant), ...where, toolName, what, by, givenBy: people, expiresAt };
    });
  const rules = row.rules
    .filter((rule) => rule.effect === 'allow' && ruleHolds(rule, now))
    .map((rule): ActiveGrant => {
      const { pattern, by, expiresAt } = rule;
      const shown = { toolName: toolOf(pattern), what: 'rule', pattern, by, givenBy: [] } as const;
      return { id: idOfRule(row, rule), ...where, ...shown, ...(expiresAt ? { expiresAt } : {}) };
    });
  return [...grants, ...rules];
}

/** The rows of one agent as they hold now: without grants that were revoked for every session, or are void since a restore. */
export function activeGrants(
  rows: readonly SessionRow[],
  control: { readonly voidedAt?: number | undefined },
  now: number,
): ActiveGrant[] {
  const always = rows.find(({ sessionId }) => sessionId === EVERY_SESSION);
  return rows.flatMap((row) => {
    const grants = row.grants.filter((grant) => !isVoided(grant, control) && !isRevoked(grant, row, always));
    const rules = row.rules.filter((rule) => !isRuleVoided(rule, control));
    return grantsIn({ ...row, grants, rules }, now);
  });
}

type Key = Pick<SessionRow, 'agent' | 'sessionId'>;
const idOf = ({ agent, sessionId }: Key, kind: string, what: string): string =>
  sha256Hex(lengthDelimited([agent, sessionId, kind, what])).slice(0, 12);
const idOfGrant = (row: Key, { key }: StoredGrant): string => idOf(row, 'grant', key);
const idOfRule = (row: Key, { pattern }: SessionRule): string => idOf(row, 'allow', pattern);
const toolOf = (pattern: string): string => pattern.replace(/\(.*$/s, '');

/** Without what is given under this id; undefined if nothing is. */
export function withoutGrant(row: SessionRow, id: string): SessionRow | undefined {
  const grants = row.grants.filter((grant) => idOfGrant(row, grant) !== id);
  const rules = row.rules.filter((rule) => rule.effect !== 'allow' || idOfRule(row, rule) !== id);
  const found = grants.length < row.grants.length || rules.length < row.rules.length;
  return found ? { ...row, grants, rules } : undefined;
}

/** The next row to write, or the same one if nothing changed. */
export function nextVersion(read: SessionRow, changed: SessionRow, at: string): SessionRow {
  return changed === read ? read : { ...changed, version: read.version + 1, updatedAt: at };
}
