/** Builds what cases of the permissions name: tools, rules, handlers, classifiers, a clock. */
import type { ClassifierResult, Mode, RuleInput, ToolPermission } from '../../../shared/permissions/index.ts';
import {
  allowResult,
  blockResult,
  DenialTracker,
  type PermissionClassifier,
  type PermissionDecision,
  type PermissionRequestHandler,
  type PermissionResponse,
  PermissionService,
  type PermissionServiceConfig,
  ProtectedPathChecker,
  SessionApprovalCache,
  undecidedResult,
} from '../../../shared/permissions/index.ts';
import { parseMode } from '../../../shared/permissions/model/modes.ts';
import { ruleSourceOf } from '../../../shared/permissions/model/sources.ts';
import type { ParentService } from '../../../shared/permissions/service/config.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { type Fields, fieldsOf, isFields, listOf } from '../fields.ts';
import { whole } from '../reading.ts';
import { Uninterpretable } from './uninterpretable.ts';
import { spoken } from './words.ts';

const ROOT = '/project';
const HOME = '/home/u';
export const PLACE = { cwd: ROOT, projectRoot: ROOT, home: HOME } as const;

/** Where the call is made: `cwd`, `root` and `home` of the case. */
export function placeOf(given: Fields): { readonly cwd: string; readonly projectRoot: string; readonly home: string } {
  const [root, home] = [given['root'] ?? given['project_root'] ?? given['projectRoot'], given['home']];
  const projectRoot = root === undefined ? ROOT : String(root);
  return { cwd: String(given['cwd'] ?? projectRoot), projectRoot, home: String(home ?? HOME) };
}
export const shell = () => loadShellParser();

export class FakeClock {
  time = 1_000_000;
  now(): number {
    return this.time;
  }
}

function modeIn(value: unknown, otherwise: Mode = 'default'): Mode {
  if (value === undefined) return otherwise;
  // A mode that nobody knows goes to the product as it stands, which has to refuse it.
  return parseMode(String(value)) ?? (String(value) as Mode);
}

/** The call of a case; absent: Bash `ls`, or Write where the input is a path. */
export function callOf(given: Fields): {
  tool: string;
  input: Fields;
  /** Undefined: the registry does not list the tool. */
  permissions: readonly ToolPermission[] | undefined;
} {
  const stated = fieldsOf(whole(given['input']));
  const writes = given['tool'] === undefined && 'path' in stated;
  const tool = typeof given['tool'] === 'string' ? given['tool'] : writes ? 'Write' : 'Bash';
  const input = 'input' in given ? stated : tool === 'Write' ? { path: 'notes.txt' } : { command: 'ls' };
  const usual: Readonly<Record<string, readonly ToolPermission[]>> = {
    Bash: ['Execute'],
    Write: ['Write'],
    Edit: ['Write'],
    Read: ['Read'],
    Grep: ['Read'],
    Glob: ['Read'],
    WebFetch: ['Network'],
  };
  const listed = whole(given['permissions']);
  const permissions = Array.isArray(listed) ? (listed as ToolPermission[]) : usual[tool];
  return { tool, input, permissions };
}

export function ruleOf(rule: Fields): RuleInput {
  const source = ruleSourceOf(String(rule['source'] ?? 'Session'));
  const effect = String(rule['behavior'] ?? rule['effect']).toLowerCase();
  if (source === undefined || !['deny', 'ask', 'allow'].includes(effect))
    throw new Uninterpretable(`rule ${JSON.stringify(rule)}`);
  const stated = typeof rule['matcher'] === 'string' ? rule['matcher'] : undefined;
  const matcher = fieldsOf(rule['matcher']);
  const kind = matcherOf(stated === 'All' ? { all: true } : matcher);
  return {
    effect: effect as RuleInput['effect'],
    pattern: String(rule['pattern'] ?? matcher['pattern'] ?? (kind ? '*' : (stated ?? '*'))),
    source,
    reason: rule['reason'] as string | undefined,
    description: rule['description'] as string | undefined,
    suggestions: whole(rule['suggestions']) as string[] | undefined,
    ...(kind ? { matcher: kind } : {}),
  };
}

/** The kinds of matcher that are no pattern (R4-059). */
export function matcherOf(stated: Fields): RuleInput['matcher'] {
  if ('permission' in stated) return { kind: 'permission', permission: stated['permission'] as ToolPermission };
  if ('tool' in stated) return { kind: 'tool', name: String(stated['tool']) };
  return stated['all'] === true ? { kind: 'all' } : undefined;
}

/** Counts how often it was asked. */
class StubHandler implements PermissionRequestHandler {
  calls = 0;
  readonly #answer: () => PermissionResponse;
  constructor(answer: () => PermissionResponse) {
    this.#answer = answer;
  }
  async handle(): Promise<PermissionResponse> {
    this.calls += 1;
    return this.#answer();
  }
}

/** The answer is read before anybody asks: a word that nobody knows fails the case in any event. */
function handlerOf(value: unknown, scope?: unknown, modifiedArgs?: unknown): StubHandler {
  const stated: Fields = isFields(value) && 'answer' in value ? value : { answer: value };
  const [ownScope, ownArgs] = [stated['scope'] ?? scope, stated['modified_args'] ?? modifiedArgs];
  const response = responseOf(stated['answer'], ownScope, whole(ownArgs));
  return new StubHandler(() => {
    if (response instanceof Error) throw response;
    return response;
  });
}

function responseOf(answer: unknown, scope: unknown, modifiedArgs: unknown): PermissionResponse | Error {
  const allowed = (own: unknown): PermissionResponse => ({
    kind: 'Allowed',
    scope: own as 'Once' | undefined,
    modifiedArgs,
  });
  const { fault, why, answer: said, delayMs } = spoken(typeof answer === 'string' ? answer : '');
  const text = said.toLowerCase();
  if (fault) return new Error(why);
  // A handler that only takes its time allows.
  if (/^(allow(ed)?|approved|record)$/.test(text) || text.includes('approves') || (text === '' && delayMs > 0))
    return allowed(scope);
  if (text === 'denied' || text === 'deny' || text === 'rejected') return { kind: 'Denied' };
  if (isFields(answer) && 'Allowed' in answer) return allowed(fieldsOf(answer['Allowed'])['scope'] ?? scope);
  if (isFields(answer) && 'Denied' in answer)
    return { kind: 'Denied', reason: (partOf(answer['Denied'], 'reason') ?? undefined) as string | undefined };
  if (isFields(answer) && 'NeedMoreInfo' in answer)
    return { kind: 'NeedMoreInfo', question: String(partOf(answer['NeedMoreInfo'], 'question')) };
  throw new Uninterpretable(`handler ${JSON.stringify(answer)}`);
}

/** `{ Denied: text }`, or `{ Denied: { reason: text } }`. */
const partOf = (value: unknown, name: string): unknown => (isFields(value) ? value[name] : value);

export class StubClassifier implements PermissionClassifier {
  calls = 0;
  readonly #answer: () => ClassifierResult;
  constructor(answer: () => ClassifierResult) {
    this.#answer = answer;
  }
  async classify(): Promise<ClassifierResult> {
    this.calls += 1;
    return this.#answer();
  }
}

/** Read before anybody asks, as a handler is. */
export function classifierOf(value: unknown): StubClassifier {
  const result = resultOf(value);
  return new StubClassifier(() => {
    if (result instanceof Error) throw result;
    return result;
  });
}

/** The service's own default. */
const CLASSIFIER_DEADLINE_MS = 10_000;

function resultOf(value: unknown): ClassifierResult | Error {
  if (typeof value === 'string') {
    const { plain, fault, why, delayMs } = spoken(value);
    const text = plain.toLowerCase();
    if (fault || text.includes('error') || text.includes('time')) return new Error(why);
    if (delayMs > CLASSIFIER_DEADLINE_MS) return new Error('no answer in time');
    if (text.includes('undecided')) return undecidedResult('undecided');
    if (text.includes('confidence')) return blockResult('unsure', Number(text.split(' ').at(-1)));
    if (text.includes('allow')) return allowResult('allowed');
    if (text.includes('block') || text.includes('den')) return blockResult('blocked');
    // One that only takes its time allows, as a handler does.
    if (delayMs > 0) return allowResult('allowed');
  }
  const block = isFields(value) ? (value['block'] ?? value['should_block']) : undefined;
  if (isFields(value) && typeof block === 'boolean') {
    const make = block ? blockResult : allowResult;
    return make(String(value['reason'] ?? 'why'), Number(value['confidence'] ?? 1));
  }
  throw new Uninterpretable(`classifier ${JSON.stringify(value)}`);
}

class StubParent implements ParentService {
  calls = 0;
  readonly #decision: PermissionDecision['decision'] | Error;
  readonly #reason: string;
  /** `{ decision }`, or words of a fault. */
  constructor(given: unknown) {
    const stated = typeof given === 'string' ? given : fieldsOf(given)['decision'];
    const { fault, why, answer, delayMs } = spoken(String(stated));
    const decision = answer === '' && delayMs > 0 ? 'allow' : answer;
    this.#reason = String(fieldsOf(given)['reason'] ?? 'the parent decides');
    if (!fault && !['allow', 'deny', 'ask', 'require_approval'].includes(String(decision)))
      throw new Uninterpretable(`parent ${JSON.stringify(given)}`);
    this.#decision = fault ? new Error(why) : (decision as PermissionDecision['decision']);
  }
  async check(): Promise<PermissionDecision> {
    this.calls += 1;
    const decision = this.#decision;
    if (decision instanceof Error) throw decision;
    return { decision, reason: 'handler', source: 'mode_dispatch', message: this.#reason };
  }
}

export interface World {
  readonly service: PermissionService;
  readonly clock: FakeClock;
  readonly handler: StubHandler | undefined;
  readonly classifier: StubClassifier | undefined;
  readonly parent: StubParent | undefined;
  readonly cache: SessionApprovalCache;
  readonly tracker: DenialTracker;
}

/** The protected paths of the case: patterns that are added, or none at all. */
export function checkerOf(given: Fields): ProtectedPathChecker {
  const checker = new ProtectedPathChecker().withPatterns(listOf(given['patterns']).map(String));
  return given['disabled'] === true ? checker.disabled() : checker;
}

/** A service as the case describes it. */
export function worldOf(given: Fields, more: PermissionServiceConfig = {}): World {
  const clock = new FakeClock();
  const { tool, permissions } = callOf(given);
  const counted = given['tracker'];
  const thresholds = {
    ...('max_consecutive' in given ? { maxConsecutive: Number(given['max_consecutive']) } : {}),
    ...('max_total' in given ? { maxTotal: Number(given['max_total']) } : {}),
  };
  const state = {
    consecutive: Number(fieldsOf(counted)['consecutive'] ?? 0),
    total: Number(fieldsOf(counted)['total'] ?? 0),
  };
  const tracker = new DenialTracker({ clock, state, ...thresholds });
  // Without a time of the case's, the service's own holds (R4-076).
  const ttl = given['ttl_s'];
  const stated = ttl === null ? new SessionApprovalCache({ clock }) : undefined;
  const own = ttl === undefined || stated ? stated : SessionApprovalCache.withTtl(Number(ttl) * 1000, clock);
  const handler =
    given['handler'] === undefined
      ? undefined
      : handlerOf(given['handler'], given['handler_scope'] ?? given['scope'], given['modified_args']);
  const classifier =
    given['classifier'] === undefined || given['classifier'] === null ? undefined : classifierOf(given['classifier']);
  const parent =
    given['parent'] === undefined || given['parent'] === null ? undefined : new StubParent(given['parent']);
  const checker = checkerOf(given);
  const service = new PermissionService({
    mode: modeIn(given['mode'] ?? given['configured']),
    rules: listOf(given['rules']).map((rule) => ruleOf(fieldsOf(rule))),
    tools: permissions === undefined ? [] : [{ name: tool, permissions }],
    bypassDisabled: given['bypass_disabled'] === true,
    bypassHonoursRules: false,
    protectedPaths: checker,
    tracker,
    cache: own,
    classifier,
    requestHandler: handler,
    parent,
    clock,
    ...placeOf(given),
    shell,
    ...more,
  });
  const { cache } = service;
  for (const entry of listOf(given['cache'])) {
    const { tool: name, args, scope } = fieldsOf(entry);
    cache.record(String(name), whole(args), scope as 'Once', service.binding(String(name)));
  }
  return { service, clock, handler, classifier, parent, cache, tracker };
}

export function observed(world: World, decision: PermissionDecision): Fields {
  return {
    decision: decision.decision,
    reason: decision.reason,
    source: decision.source,
    deny_reason: decision.decision === 'deny' ? decision.message : null,
    suggestions: decision.suggestions ?? null,
    modified_args: decision.modifiedArgs ?? null,
    message: decision.message,
    rule: decision.rule ?? null,
    handler_calls: world.handler?.calls ?? 0,
    classifier_calls: world.classifier?.calls ?? 0,
    parent_calls: world.parent?.calls ?? 0,
    consecutive: world.tracker.consecutive,
    total: world.tracker.total,
    fallback: world.tracker.shouldFallback(),
  };
}
