/** Authorizes one call by the permission stages, under its session's and message's mode. */
import { compileSessionRules, type Policy } from '../../../../config/compile.ts';
import type { LevelFacts, Mode, ToolCall, ToolCallProposal } from '../../../../contract/index.ts';
import { CANARY_TOOL, isCanary } from '../../../../domain/canary.ts';
import type { CallContext } from '../../../../permissions/call/call-context.ts';
import type {
  ClassifierFact,
  Decided,
  Evaluation,
  HookFact,
  ParentFact,
  RuleInput,
  RuleRef,
  SessionFacts,
  TraceEntry,
} from '../../../../permissions/model/types.ts';
import type { ShellParser } from '../../../../permissions/shell/syntax/shell-parser.ts';
import { evaluateCall } from '../../../../permissions/stages/evaluate.ts';
import { type Pause, pauseFor } from '../../../../ports/stores/control.ts';
import type { Journal } from '../../state/journal.ts';
import type { Need } from '../../state/need.ts';
import type { Chain, Session } from '../../state/session.ts';
import { contextOf } from './context-of.ts';
import { hookFindings, hooksAt } from './hook-facts.ts';
import { evaluatedUnder, STRENGTH } from './named-mode.ts';

export interface KernelPorts {
  readonly policy: Policy;
  /** Loaded once per process, and only for a call that holds a shell command. */
  shell(): Promise<ShellParser>;
  /** Keys the ids of permits. */
  readonly digestKey: Uint8Array;
}

export interface Authorization {
  readonly verdict: Decided;
  readonly trace: readonly TraceEntry[];
  /** The agents that ask, the call's own first, each with the rule that asks there. */
  readonly asks?: readonly AskingAgent[];
  /** The rules and grants that an allow rests on. */
  readonly grounds?: Grounds;
}

export interface AskingAgent {
  readonly agent: string;
  readonly rule?: RuleRef | undefined;
}

export interface Grounds {
  /** Digests of rules. */
  readonly rules: readonly string[];
  /** Keys of grants. */
  readonly grants: readonly string[];
}

const NO_GROUNDS: Grounds = { rules: [], grants: [] };

type CallAuthorization =
  | ({ readonly kind: 'evaluated' } & Authorization)
  | { readonly kind: 'needs'; readonly needs: readonly Need[] };

/** The stronger of two; the first of equals. */
function stronger<Each extends Authorization>(a: Each, b: Each): Each {
  if (STRENGTH[b.verdict.verdict] > STRENGTH[a.verdict.verdict]) return b;
  if (STRENGTH[b.verdict.verdict] < STRENGTH[a.verdict.verdict]) return a;
  const { needsPerson = a.verdict.needsPerson, humanRequired = a.verdict.humanRequired } = b.verdict;
  const verdict = {
    ...a.verdict,
    ...(needsPerson ? { needsPerson } : {}),
    ...(humanRequired ? { humanRequired } : {}),
  };
  const both = { ...a, verdict, asks: together(a.asks, b.asks), grounds: groundsOf([a.grounds, b.grounds]) };
  // An allow that rests on a rule in either of the two runs what the rule covers.
  const { effective } = b.verdict;
  if (a.verdict.verdict !== 'allow' || a.verdict.effective || !effective) return both;
  return { ...both, verdict: { ...a.verdict, effective } };
}

const together = (a: readonly AskingAgent[] = [], b: readonly AskingAgent[] = []): AskingAgent[] => [
  ...a,
  ...b.filter(({ agent, rule }) => !a.some((one) => one.agent === agent && one.rule?.digest === rule?.digest)),
];

const groundsOf = (all: readonly (Grounds | undefined)[]): Grounds => ({
  rules: [...new Set(all.flatMap((one) => one?.rules ?? []))],
  grants: [...new Set(all.flatMap((one) => one?.grants ?? []))],
});

interface AuthorizationContext {
  readonly proposal: ToolCallProposal;
  readonly session: Session;
  readonly journal: Journal;
  /** Rules of the message, which only tighten. */
  readonly added: readonly RuleInput[];
  /** Ids of the calls that people edited: these are evaluated with today's memory of the session about the edited form. */
  readonly edited?: ReadonlySet<string>;
  /** Ids of the edited calls whose present form people have answered about. */
  readonly answered?: ReadonlySet<string>;
  /** The path in the run under which edited calls are evaluated. */
  readonly part?: string;
  readonly now: number;
}

/**
 * Authorizes `call`, the proposal's `index`-th. The call is evaluated under the session as the journal holds it, under today's session, and under a
 * mode that the message states; the strongest verdict holds, so that the latter two can only tighten. A call that people edited is evaluated under
 * today's session alone. Never throws: a fault is the verdict `error`.
 */
export async function authorizeCall(
  call: ToolCall,
  index: number,
  judging: AuthorizationContext,
  ports: KernelPorts,
): Promise<CallAuthorization> {
  try {
    const { proposal, session, journal } = judging;
    // The gate's built-in rules on this tool would hold for any agent, and nobody would see a question about it.
    if (call.toolName === CANARY_TOOL && !isCanary(session.agent))
      return authorized(failed(`toolName: ${CANARY_TOOL} is reserved for the gate`));
    const isEdited = judging.edited?.has(call.id) === true;
    const present = judging.answered?.has(call.id) && session.chain ? withoutMemory(session.chain) : session.chain;
    const then = isEdited ? present : (journal.session ?? present);
    const chain: Chain = then ?? { levels: [levelOf(session)], end: 'root' };
    let result = await authorizeUnder(call, index, chain, judging, ports);
    const changed = isEdited ? undefined : journal.session && session.chain;
    if (changed && result.kind === 'evaluated') {
      const fresh = await authorizeUnder(call, index, withoutMemory(changed), judging, ports);
      result = fresh.kind === 'needs' ? fresh : stronger(result, fresh);
    }
    const own = chain.levels[0]?.mode;
    if (result.kind === 'needs' || proposal.mode === undefined || proposal.mode === own || proposal.mode === 'bypass')
      return result;
    const tightened = await authorizeUnder(call, index, chain, judging, ports, proposal.mode);
    return tightened.kind === 'needs' ? tightened : stronger(result, tightened);
  } catch {
    return authorized(failed('the gate could not evaluate this call'));
  }
}

const levelOf = ({ agent, sessionId, mode }: Session): LevelFacts => ({
  agent,
  sessionId,
  mode,
  rules: [],
  consecutive: 0,
  total: 0,
  calls: [],
});

/**
 * Today's session, for a verdict that can only tighten. Refusals and denials are left out: they may stem from this very proposal, and an older
 * memory must not undo a person's newer answer. Grants stay: without them, a call that a grant allowed at first would ask, although nobody was
 * asked about it. A grant that was revoked meanwhile is not in today's session.
 */
export const withoutMemory = (chain: Chain, refusals: 'with refusals' | 'grants only' = 'grants only'): Chain => ({
  ...chain,
  levels: chain.levels.map((level) => ({
    ...level,
    consecutive: 0,
    total: 0,
    calls: level.calls.map(({ id, grant, refusal }) => ({
      id,
      ...(grant ? { grant } : {}),
      ...(refusal && refusals === 'with refusals' ? { refusal } : {}),
    })),
  })),
});

const authorized = (
  verdict: Decided,
  trace: readonly TraceEntry[] = [],
  more: Pick<Authorization, 'asks' | 'grounds'> = {},
): CallAuthorization => ({ kind: 'evaluated', verdict, trace, ...more });

const failed = (message: string, code = 'evaluation_failed'): Decided => ({
  verdict: 'error',
  reason: 'invalid',
  source: 'kernel',
  code,
  message,
});

/** Under the chain's own modes, or under the message's `mode` at the first level. */
const authorizeUnder = (
  call: ToolCall,
  index: number,
  chain: Chain,
  judging: AuthorizationContext,
  ports: KernelPorts,
  mode?: Mode,
): Promise<CallAuthorization> =>
  authorizeLevel({ call, slot: slotOf(call, index, judging), chain, depth: 0 }, judging, ports, mode);

/** The key of answers about a call in the journal. An edited call has another key, so that answers about its earlier form do not count. */
export const slotOf = (
  { id }: ToolCall,
  index: number,
  { edited, part = '' }: Pick<AuthorizationContext, 'edited' | 'part'>,
): string => (edited?.has(id) ? `${part}${index}` : `${index}`);

interface At {
  readonly call: ToolCall;
  /** The journal key of answers about the call; see `slotOf`. */
  readonly slot: string;
  readonly chain: Chain;
  readonly depth: number;
}

/** Authorizes under each of the session's modes, or under the stated one alone. The strongest verdict holds. */
async function authorizeLevel(
  at: At,
  judging: AuthorizationContext,
  ports: KernelPorts,
  asked?: Mode,
): Promise<CallAuthorization> {
  const agentMode = asked === undefined ? at.chain.levels[at.depth]?.agentMode : undefined;
  const own = await authorizeInChain(at, judging, ports, asked);
  if (agentMode === undefined || own.kind === 'needs') return own;
  const other = await authorizeInChain(at, judging, ports, agentMode);
  return other.kind === 'needs' ? other : stronger(own, other);
}

async function authorizeInChain(
  at: At,
  judging: AuthorizationContext,
  ports: KernelPorts,
  asked?: Mode,
): Promise<CallAuthorization> {
  const { call, chain, depth } = at;
  const level = chain.levels[depth];
  const settings = level && ports.policy.settings.agents[level.agent];
  if (!level || !settings)
    return authorized(failed('the policy file no longer lists an agent that this call depends on'));
  const { policy } = ports;
  const { session, now, journal } = judging;
  const pause = pauseFor(session.control, level.agent, call.toolName, now);
  const sessionRules = compileSessionRules(level.rules, depth === 0 ? judging.added : [], policy);
  // The call runs where its own agent runs, whoever is asked about it.
  const cwd = call.cwd ?? session.settings.projectRoot;
  const mayPrint = session.unprinted?.has(call.id) ? false : undefined;
  const { unattended } = settings;
  const context = (mode: Mode) =>
    contextOf({ call, mode, cwd, folders: settings, sessionRules, pause, unattended, mayPrint }, policy);
  const recorded = level.calls.find(({ id }) => id === call.id);
  const facts = (mode: Mode): SessionFacts => ({
    now,
    // A grant is bound to the session's modes: under another one it does not count.
    grant: mode === level.mode || mode === level.agentMode ? recorded?.grant : undefined,
    refusal: recorded?.refusal,
    denials: {
      ...{ consecutive: level.consecutive, total: level.total, deniedBefore: recorded?.deniedBefore },
      ...{ maxConsecutive: policy.settings.denials.inARow, maxTotal: policy.settings.denials.total },
    },
  });

  const own = asked ?? level.mode;
  const hooks = hooksAt({ ...at, cwd, level, mode: own }, journal, policy);
  if (hooks.length) {
    // No hook lifts a denial: what is denied without them is not asked about.
    const alone = { ...facts(own), classifier: { state: 'none' }, parent: { state: 'none' } } as const;
    const denied = await evaluated(context(own), alone, ports);
    if (denied.kind === 'decided' && (denied.verdict.verdict === 'deny' || denied.verdict.verdict === 'error'))
      return authorized(denied.verdict, denied.trace);
    const needs = hooks.flatMap((hook) => (hook.entry ? [] : [hook.need]));
    if (needs.length) return { kind: 'needs', needs };
  }
  const heard = hookFindings(hooks);
  const mode = asked ?? heard.mode ?? level.mode;

  let above: Above | undefined;
  if (mode === 'bubble' || own === 'bubble') {
    const found = await aboveOf(at, judging, ports);
    if ('kind' in found) return found;
    above = found;
  }
  const parent = above?.fact;
  const place = `classifier.${at.slot}.${depth}`;
  const classifier = classifierFact(place, journal, policy);
  const evaluation = await evaluatedUnder(own, mode, (one) =>
    evaluated(context(one), { ...facts(one), hook: heard.fact, classifier, parent }, ports),
  );
  if (evaluation.kind === 'needs') {
    const { need, trace } = evaluation;
    if (need.type === 'classifier')
      return { kind: 'needs', needs: [{ type: 'classifier', place, call, cwd, level, mode }] };
    return authorized(failed('an answer is missing'), trace);
  }
  const { verdict: found, trace } = evaluation;
  const verdict = depth > 0 && !found.humanRequired ? askedFor(found, pause, heard.fact) : found;
  return authorized(verdict, trace, restsOn(verdict, level, recorded?.grant, above));
}

/** A brake or a hook of an agent above asks as its rules do: no rule and no grant of an agent below answers that. */
function askedFor(verdict: Decided, pause: Pause | undefined, hook: HookFact | undefined): Decided {
  const wantsPerson = hook?.decision === 'failed' || hook?.decision === 'human';
  if (verdict.verdict !== 'ask' || !(pause || wantsPerson)) return verdict;
  const why = pause ? 'An operator wants a person asked.' : hook?.reason;
  return { ...verdict, humanRequired: true, message: why ?? verdict.message };
}

/** The agents that ask, and the grounds of an allow, at this level and above it. */
function restsOn(
  { verdict, reason, code, source, rule }: Decided,
  { agent }: LevelFacts,
  grant: LevelFacts['calls'][number]['grant'],
  above: Above | undefined,
): Pick<Authorization, 'asks' | 'grounds'> {
  // The agent's own rules allow the call, and only the parent wants a person asked.
  if (verdict === 'ask') return { asks: together(code === 'parent_asks' ? [] : [{ agent, rule }], above?.asks) };
  if (verdict !== 'allow') return {};
  if (reason === 'bubble') return { grounds: above?.grounds ?? NO_GROUNDS };
  const grants = source === 'approval_cache' && grant?.key !== undefined ? [grant.key] : [];
  return { grounds: { rules: rule ? [rule.digest] : [], grants } };
}

/** Evaluates a call. The shell parser is loaded only for a call that holds a shell command. */
export async function evaluated(
  context: CallContext,
  facts: SessionFacts,
  ports: Pick<KernelPorts, 'shell'>,
): Promise<Evaluation> {
  const evaluation = evaluateCall(context, facts);
  if (evaluation.kind === 'needs' && evaluation.need.type === 'shell-parser')
    return evaluateCall({ ...context, shell: await ports.shell() }, facts);
  return evaluation;
}

/** A classifier that is configured and has not been asked yet is unknown; one that is not configured is none. */
function classifierFact(place: string, journal: Journal, policy: Policy): ClassifierFact | undefined {
  if (!policy.settings.classifier) return { state: 'none' };
  const entry = journal.answer('classifier', place);
  if (!entry) return undefined;
  const { answer, by } = entry;
  if (answer.state === 'failed') return answer;
  const { shouldBlock, reason, confidence } = answer;
  return { state: 'answered', result: { shouldBlock, reason, confidence }, id: by };
}

/** The verdict of the level above, with the agents that ask there and the grounds of an allow. */
interface Above extends Pick<Authorization, 'asks' | 'grounds'> {
  readonly fact: ParentFact;
}

/** The answer of the level above. */
async function aboveOf(
  at: At,
  judging: AuthorizationContext,
  ports: KernelPorts,
): Promise<Above | Extract<CallAuthorization, { kind: 'needs' }>> {
  const { chain, depth } = at;
  // A loop anywhere above is a denial for all below it.
  if (chain.end === 'cycle') return { fact: { state: 'cycle' } };
  if (depth + 1 < chain.levels.length) {
    const above = await authorizeLevel({ ...at, depth: depth + 1 }, judging, ports);
    return above.kind === 'needs' ? above : answered(above);
  }
  if (chain.end === 'unlisted') return { fact: UNLISTED };
  return chain.possible?.length ? denialsAbove(at, chain.possible, judging, ports) : { fact: { state: 'none' } };
}

const UNLISTED: ParentFact = {
  state: 'answered',
  verdict: 'error',
  message: 'The policy file does not list the parent of this session.',
};

const answered = ({ verdict: decided, asks, grounds }: Authorization): Above => {
  const { verdict, message, humanRequired, needsPerson, effective } = decided;
  const asksPeople = verdict === 'ask' && humanRequired === true;
  const fact: ParentFact = { state: 'answered', verdict, message, humanRequired: asksPeople, needsPerson, effective };
  return { fact, ...(asks ? { asks } : {}), ...(grounds ? { grounds } : {}) };
};

/**
 * Authorizes under the sessions that may have started this one, where no start is known: the agent chose the session's name, and may hide its
 * parent. Denials and rules that ask hold there; nothing allows.
 */
async function denialsAbove(
  at: At,
  possible: NonNullable<Chain['possible']>,
  judging: AuthorizationContext,
  ports: KernelPorts,
): Promise<Above | Extract<CallAuthorization, { kind: 'needs' }>> {
  const own = at.chain.levels.slice(0, at.depth + 1);
  let strongest: Authorization | undefined;
  for (const [index, { levels, end }] of possible.entries()) {
    const chain: Chain = { levels: [...own, ...levels], end };
    const slot = `${at.slot}.p${index}`;
    const above = await authorizeLevel({ ...at, chain, slot, depth: at.depth + 1 }, judging, ports);
    if (above.kind === 'needs') return above;
    const { verdict, humanRequired } = above.verdict;
    const counts = verdict === 'deny' || verdict === 'error' || (verdict === 'ask' && humanRequired === true);
    if (counts) strongest = strongest ? stronger(strongest, above) : above;
  }
  return strongest ? answered(strongest) : { fact: { state: 'none' } };
}
