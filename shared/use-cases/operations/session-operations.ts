/**
 * Performs operations on sessions: mode, memories and rules.
 * Each write is conditional and tried a few times; a repeated operation is done once.
 */
import { DEFAULT_SESSION, LIMITS } from '../../contract/bounds.ts';
import {
  EVERY_SESSION,
  type Mode,
  type RuleOperation,
  type SessionOperation,
  type SessionRow,
  type SessionRule,
} from '../../contract/index.ts';
import { type Arrival, orderRefusal, withOperation } from '../../domain/approval/order.ts';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { rememberedEnd, withRemembered } from '../../domain/record/remembered-operations.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import {
  isBlank,
  newSession,
  nextVersion,
  ruleHolds,
  withMode,
  withoutGrant,
  withoutGrantsUntil,
  withoutRule,
  withRule,
} from '../../domain/session.ts';
import { isHighSeverity } from '../../domain/severity.ts';
import { parsePattern } from '../../permissions/rules/parse.ts';
import { matchesWildcard } from '../../permissions/text/glob.ts';
import { ancestorsOf } from '../kernel/state/lineage.ts';
import { CONFLICT, retryOnConflict } from '../retry-on-conflict.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { problemOfRule } from './lazy-imports.ts';
import { type OperationResult, outOfOrder, problemOfEnd, refuse } from './refusal.ts';

type Wanted = SessionOperation | RuleOperation;

/** Operations that a row remembers. */
const MAX_REMEMBERED = 20;
/** An operation that ended so is remembered with its code. */
const REMEMBERED_REFUSALS = ['unknown_session', 'unknown_grant', 'no_such_rule', 'too_many_rules'] as const;
type RememberedRefusal = (typeof REMEMBERED_REFUSALS)[number];

/** `barred`: why the row as it is now may not be changed so by whoever wants it; asked with each read, after what was done already. */
export async function changeSession(
  wanted: Wanted,
  operator: string,
  sent: Arrival,
  deps: OperatorDependencies,
  barred: (row: SessionRow) => string | undefined = () => undefined,
): Promise<OperationResult> {
  const problem = await problemOf(wanted, operator, deps);
  if (problem) return refuse(problem);
  const id = sha256Hex(canonicalJson({ operator, ...wanted })).slice(0, 16);
  const done: OperationResult = { accepted: true, code: codeOf(wanted) };
  const session = wanted.session ?? EVERY_SESSION;
  return retryOnConflict(
    'the session kept changing while it was written',
    async (): Promise<OperationResult | typeof CONFLICT> => {
      const read = (await deps.sessions.read(wanted.agent, session)) ?? newSession(wanted.agent, session);
      const before = rememberedEnd(read.done, id, REMEMBERED_REFUSALS);
      if (before) return before === 'done' ? done : refuse(before);
      const bar = barred(read) ?? loosensOwn(wanted, read, operator, deps);
      if (bar) return refuse(bar);
      const effect = effectOf(wanted, read, deps);
      const late = effect === 'tightens' ? undefined : orderRefusal(read.order, sent, effect === 'lengthens');
      if (late) return outOfOrder(late);
      const now = deps.clock.now();
      const { row, refusal } = ended(wanted, read, operator, now);
      // One that found nothing to take back is heard all the same: what it was to take back may come late.
      if (refusal !== undefined && effect !== 'tightens') return refuse(refusal);
      const order = withOperation(read.order, sent, effect !== 'adds');
      const next = { ...row, order, done: withRemembered(read.done, id, refusal, MAX_REMEMBERED) };
      if (!(await deps.sessions.write(nextVersion(read, next, new Date(now).toISOString())))) return CONFLICT;
      return refusal === undefined ? done : refuse(refusal);
    },
  );
}

/** A message that names no session works in the first. */
const ALWAYS_THERE: ReadonlySet<string> = new Set([DEFAULT_SESSION, EVERY_SESSION]);

/**
 * Whether the operation takes something back, which a session of which nothing is remembered does not have. A setting that comes before an
 * agent opens its session holds in it.
 */
const takesBack = (wanted: Wanted): boolean =>
  wanted.kind === 'revoke' || (wanted.kind === 'set-mode' && wanted.mode === 'agent');

function codeOf(wanted: Wanted): string {
  switch (wanted.kind) {
    case 'set-mode':
      return `mode_${wanted.mode}`;
    case 'revoke':
      return 'revoked';
    case 'add-rule':
      return `rule_added_${wanted.effect}`;
    case 'remove-rule':
      return `rule_removed_${wanted.effect}`;
    default:
      return wanted satisfies never;
  }
}

/** The row afterwards, and why nothing was done. A session of which nothing is remembered yet notes until when all was taken back. */
function ended(
  wanted: Wanted,
  read: SessionRow,
  operator: string,
  now: number,
): { readonly row: SessionRow; readonly refusal?: RememberedRefusal } {
  const changed = changedBy(wanted, read, operator, now);
  const row = typeof changed === 'string' ? read : changed;
  if (isBlank(read) && takesBack(wanted) && !ALWAYS_THERE.has(read.sessionId))
    return { row, refusal: 'unknown_session' };
  return typeof changed === 'string' ? { row, refusal: changed } : { row };
}

function changedBy(wanted: Wanted, read: SessionRow, operator: string, now: number): SessionRow | RememberedRefusal {
  switch (wanted.kind) {
    case 'set-mode':
      return withMode(read, wanted.mode === 'agent' ? undefined : wanted.mode);
    case 'revoke':
      if (wanted.grant === undefined) return withoutGrantsUntil(read, wanted.tool, now);
      return withoutGrant(read, wanted.grant) ?? 'unknown_grant';
    case 'remove-rule':
      return withoutRule(read, wanted) ?? 'no_such_rule';
    case 'add-rule': {
      const { effect, pattern, reason, until, session } = wanted;
      const rule: SessionRule = {
        effect,
        pattern,
        source: session === undefined ? 'user' : 'session',
        reason: cutMarked(reason, 300),
        by: operator,
        at: new Date(now).toISOString(),
        ...(until === undefined ? {} : { expiresAt: until }),
      };
      return withRule(read, rule, now) ?? 'too_many_rules';
    }
    default:
      return wanted satisfies never;
  }
}

/** In these nothing runs that did not in any other mode: from one of them to another loosens something. */
const TIGHT: ReadonlySet<Mode> = new Set<Mode>(['plan', 'dontAsk']);

/** Why it may not be done, or undefined. */
async function problemOf(wanted: Wanted, operator: string, deps: OperatorDependencies): Promise<string | undefined> {
  if (loosens(wanted) && ownsAgent(operator, wanted.agent, deps)) return 'own_agent';
  // Set all the same, it would be default mode now, and bypass from the day on which the policy file enables that (D2).
  if (wanted.kind === 'set-mode' && wanted.mode === 'bypass' && !deps.policy.settings.bypass.enabled)
    return 'bypass_is_off';
  if (wanted.kind !== 'add-rule') return undefined;
  const { effect, pattern, session, until } = wanted;
  const problem = await problemOfRule(wanted, deps);
  if (problem !== undefined) return problem;
  if (effect === 'allow' && deps.policy.settings.managedRulesOnly) return 'managed_rules_only';
  if (effect === 'allow' && allowsHigh(pattern, deps)) return 'needs_two_people';
  const now = deps.clock.now();
  if (effect !== 'allow' || session !== undefined) return problemOfEnd(until, now);
  // An "always" ends.
  if (until === undefined) return 'until_is_missing';
  return Date.parse(until) > now + LIMITS.laterMs ? 'until_is_too_late' : problemOfEnd(until, now);
}

/** Nobody loosens what their own agent may do: they could not have approved its calls either. */
function loosens(wanted: Wanted): boolean {
  switch (wanted.kind) {
    // By the mode that it is in now: see below.
    case 'set-mode':
      return false;
    case 'revoke':
      return false;
    case 'add-rule':
      return wanted.effect === 'allow';
    case 'remove-rule':
      return wanted.effect !== 'allow';
    default:
      return wanted satisfies never;
  }
}

/** In these more runs unasked than in the default mode, and nothing less. */
const LOOSE: ReadonlySet<Mode> = new Set<Mode>(['acceptEdits', 'bypass', 'auto']);

const isTighter = (next: Mode, now: Mode): boolean =>
  (TIGHT.has(next) && !TIGHT.has(now)) || (next === 'default' && LOOSE.has(now));

/** The owner may only tighten: neither another mode, nor an earlier end of a rule that denies or asks. */
function loosensOwn(wanted: Wanted, row: SessionRow, operator: string, deps: OperatorDependencies): string | undefined {
  if (!ownsAgent(operator, wanted.agent, deps)) return undefined;
  return effectOf(wanted, row, deps) === 'tightens' ? undefined : 'own_agent';
}

/**
 * All but `tightens` loosen, and have no effect after a newer one that tightened or set something. `lengthens`: nor after any newer one, which
 * may have given the same for a shorter time. `adds`: it stands beside others, and outdates none.
 */
type Effect = 'tightens' | 'sets' | 'lengthens' | 'adds';

function effectOf(wanted: Wanted, row: SessionRow, deps: OperatorDependencies): Effect {
  switch (wanted.kind) {
    case 'set-mode': {
      const own = deps.policy.settings.agents[wanted.agent]?.mode ?? 'default';
      const now = row.mode ?? own;
      const next = wanted.mode === 'agent' ? own : wanted.mode;
      return next === now || isTighter(next, now) ? 'tightens' : 'sets';
    }
    case 'revoke':
      return 'tightens';
    case 'remove-rule':
      return wanted.effect === 'allow' ? 'tightens' : 'adds';
    case 'add-rule': {
      const held = row.rules.find(
        (rule) => rule.effect === wanted.effect && rule.pattern === wanted.pattern && ruleHolds(rule, deps.clock.now()),
      );
      if (!held) return wanted.effect === 'allow' ? 'adds' : 'tightens';
      const isLonger = endOf(wanted.until) - endOf(held.expiresAt);
      if (wanted.effect === 'allow') return isLonger > 0 ? 'lengthens' : 'tightens';
      return isLonger < 0 ? 'sets' : 'tightens';
    }
    default:
      return wanted satisfies never;
  }
}

const endOf = (time: string | undefined): number => (time === undefined ? Number.MAX_VALUE : Date.parse(time));

/** Whether an agent is the operator's own, or an ancestor or a descendant of such an agent. */
export function ownsAgent(operator: string, agent: string, { policy }: Pick<OperatorDependencies, 'policy'>): boolean {
  const { operators, agents } = policy.settings;
  const person = operators[operator]?.person;
  const own = Object.keys(agents).filter((name) => agents[name]?.owner === person);
  if (person === undefined) return false;
  return own.some(
    (name) =>
      name === agent || ancestorsOf([name], policy).includes(agent) || ancestorsOf([agent], policy).includes(name),
  );
}

/** A rule on `Edit` or `Read` speaks of every tool that writes or reads files. */
function speaksOf(pattern: string, tool: string, policy: OperatorDependencies['policy']): boolean {
  if (matchesWildcard(pattern, tool)) return true;
  const found = policy.tools.lookup(tool);
  if (found.kind === 'refused') return true;
  const permission = { Edit: 'Write', Write: 'Write', Read: 'Read' } as const;
  return Object.hasOwn(permission, pattern)
    ? found.entry.permissions.includes(permission[pattern as keyof typeof permission])
    : false;
}

/** High severity needs two people each time: no single operator allows it once and for all. */
function allowsHigh(pattern: string, { policy }: OperatorDependencies): boolean {
  const parsed = parsePattern(pattern, policy.tools);
  if (parsed.kind === 'every') return true;
  return Object.entries(policy.settings.tools).some(
    ([name, { severity }]) => isHighSeverity(severity) && speaksOf(parsed.tool, name, policy),
  );
}
