/** Drives `evaluateCall`, asks classifier, parent and people, and records: the library's entry. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { copyOf } from '../../domain/own.ts';
import { checkSettings } from '../../domain/settings.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { ApprovalScope } from '../../ports/human-loop.ts';
import type { CallContext } from '../call/call-context.ts';
import { workingFolders } from '../call/working-folders.ts';
import { DenialTracker } from '../classifiers/denial-tracker.ts';
import { stageSettings } from '../model/stages.ts';
import { createToolRegistry, riskLevel, type ToolRegistry } from '../model/tools.ts';
import type { Decided, Evaluation, Mode, RuleInput, SessionFacts, ToolPermission } from '../model/types.ts';
import { ProtectedPathChecker } from '../protected/protected-paths.ts';
import { RuleRegistry } from '../rules/registry.ts';
import type { RuleAuthor, RuleUpdate, RuleUpdateResult } from '../rules/rule-update.ts';
import { loadShellParser } from '../shell/parser.ts';
import type { ShellParser } from '../shell/syntax/shell-parser.ts';
import { evaluateCall } from '../stages/evaluate.ts';
import { DEFAULT_TTL_MS, SessionApprovalCache } from './approval-cache.ts';
import { asRequestHandler } from './asked-handler.ts';
import type { PermissionAuditSink } from './audit-sinks.ts';
import { ClassifiedCalls } from './classified-calls.ts';
import type { CheckOptions, PermissionDecision, PermissionServiceConfig, PermissionVerdict } from './config.ts';
import { SERVICE_CHECKS } from './config-checks.ts';
import { decisionOf } from './decisions.ts';
import { argsLabel, type GrantBinding, toolDigest } from './grants.ts';
import type { PermissionRequest, PermissionRequestHandler, PermissionResponse } from './human-loop.ts';
import { AskTimeoutError, askClassifier, askParent, askPerson, isCountedBelow } from './questions.ts';

/** Decides calls in this process, with its own cache and denial tracker. Errors of classifier, parent and people never end in allow. */
export class PermissionService {
  readonly #config: PermissionServiceConfig;
  readonly #rules: RuleRegistry;
  readonly #clock: Clock;
  readonly #tools: ToolRegistry;
  readonly cache: SessionApprovalCache;
  readonly tracker: DenialTracker;
  readonly #classified = new ClassifiedCalls();
  #mode: Mode;
  #handler: PermissionRequestHandler | undefined;
  readonly #sink: PermissionAuditSink | undefined;
  #requests = 0;

  constructor(config: PermissionServiceConfig = {}) {
    checkSettings(config, SERVICE_CHECKS);
    this.#config = config;
    this.#clock = config.clock ?? systemClock;
    this.#tools = createToolRegistry(config.tools);
    this.#rules = new RuleRegistry(config.rules, this.#tools);
    this.cache = config.cache ?? SessionApprovalCache.withTtl(DEFAULT_TTL_MS, this.#clock);
    this.tracker = config.tracker ?? new DenialTracker({ clock: this.#clock });
    this.#mode = config.mode ?? 'default';
    if (config.ask && config.requestHandler)
      throw new InvalidSettingError('ask', 'people are asked by ask or by requestHandler: state one of them');
    this.#handler = config.ask ? asRequestHandler(config.ask) : config.requestHandler;
    this.#sink = config.auditSink;
  }

  get mode(): Mode {
    return this.#mode;
  }

  get rules(): readonly RuleInput[] {
    return this.#rules.rules;
  }

  /**
   * A service that records into `sink`, with the rules, the mode and the people of this one. The two share cache and tracker; a later change of
   * rules, mode or handler is one of either.
   */
  withAuditSink(sink: PermissionAuditSink): PermissionService {
    return new PermissionService({
      ...this.#config,
      rules: this.rules,
      mode: this.#mode,
      cache: this.cache,
      tracker: this.tracker,
      ask: undefined,
      requestHandler: this.#handler,
      auditSink: sink,
    });
  }

  /** Another provider has approved nothing yet. */
  replaceHandler(handler: PermissionRequestHandler | undefined): void {
    this.#handler = handler;
    this.cache.clear();
  }

  /** Applies an update; one by a user cannot touch managed rules. @throws RuleUpdateError for one that cannot be made */
  update(update: RuleUpdate, author: RuleAuthor = 'user'): RuleUpdateResult {
    const result = this.#rules.apply(update, author);
    if (result.kind === 'mode') this.#mode = result.mode;
    return result;
  }

  /** Adds a rule for this service. @throws RuleUpdateError for a rule that cannot be read; then nothing is changed */
  addRule(rule: RuleInput): void {
    this.#rules.add(rule);
  }

  /** A person approved outside of a handler, for example after the tracker asked for one. */
  approve(toolName: string, input: unknown, scope: ApprovalScope = 'Once'): void {
    this.cache.record(toolName, input, scope, this.binding(toolName));
    this.tracker.reset();
  }

  /** Binds an approval of this tool to these values; `config.binding` replaces any of them. */
  binding(toolName: string, mode: Mode = this.#mode): GrantBinding {
    return this.#bindingOf({ toolName, tools: this.#tools, mode });
  }

  /**
   * Checks one call against the policy; never rejects. The handler gets only calls that the mode leaves to people: an `ask` of a rule, or of
   * a classifier that is not sure, is returned. `decide` asks people about those, too.
   *
   * @example
   * const service = new PermissionService({ rules: [{ effect: 'ask', pattern: 'Bash(git push:*)', source: 'project' }] });
   * const { decision, message } = await service.check('Bash', { command: 'git push' });
   * console.log(decision, message); // ask
   */
  check(toolName: string, input: unknown, options: CheckOptions = {}): Promise<PermissionDecision> {
    return this.#check(toolName, copyOf(input), this.#tools, options);
  }

  /**
   * Decides one call to its end: what no rule and no model decides, a person does, within `askTimeout`. Never rejects, and never ends in `ask`.
   * An approval of what a rule asks for holds for this one call. Without people to ask, after the time-out and after an abort it is a denial.
   * Run the verdict's `input`: it is a copy, which nobody changes while a person is asked.
   *
   * @example
   * const ask: CallAsker = async ({ title }) => ({ type: 'rejected', by: 'a test', reason: `not now: ${title}` });
   * const service = new PermissionService({ ask, askTimeout: '30s' });
   * const verdict = await service.decide('Bash', { command: 'git push' });
   * if (verdict.decision === 'allow') console.log('run', verdict.input);
   * else console.log(verdict.message);
   */
  async decide(toolName: string, input: unknown, options: CheckOptions = {}): Promise<PermissionVerdict> {
    const own = copyOf(input);
    const decided = await this.#check(toolName, own, this.#tools, options, true);
    const { decision, reason, source, message, error, modifiedArgs } = decided;
    if (decision === 'allow') return { decision, reason, source, message, input: modifiedArgs ?? own };
    return { decision: 'deny', reason, source, message, error };
  }

  /** The same as `check` with a permission set of its own, which replaces the registry's. */
  checkWithPermissions(
    toolName: string,
    input: unknown,
    permissions: readonly ToolPermission[],
    options: CheckOptions = {},
  ): Promise<PermissionDecision> {
    const listed = this.#tools.list();
    // The tool's entry holds otherwise: its command is a shell's, and runs as it was read.
    const known = listed.find(({ name }) => name === toolName);
    const tools =
      permissions.length === 0
        ? this.#tools
        : createToolRegistry([...listed, { ...known, name: toolName, permissions }]);
    return this.#check(toolName, copyOf(input), tools, options);
  }

  /** `input`: a copy, so that what is judged, shown, remembered and recorded is one, whatever its caller does while a person is asked. */
  async #check(
    toolName: string,
    input: unknown,
    tools: ToolRegistry,
    options: CheckOptions,
    hasToEnd = false,
  ): Promise<PermissionDecision> {
    const micros = this.#config.micros ?? (() => performance.now() * 1000);
    const started = micros();
    const decision = await this.#decide(toolName, input, tools, options, hasToEnd).catch(() => decisionOf(NOT_JUDGED));
    return this.record(toolName, input, decision, Math.max(0, Math.round(micros() - started)));
  }

  /** Writes the entry of a decision, also of one made in front of the service; `duration` in microseconds. */
  async record(
    toolName: string,
    input: unknown,
    decision: PermissionDecision,
    duration: number,
  ): Promise<PermissionDecision> {
    try {
      if (this.#sink === undefined) return this.#unrecorded(decision);
      await this.#sink.record({
        tool_name: typeof toolName === 'string' ? toolName : '',
        args_hash: argsLabel(input),
        decision: decision.decision,
        reason: decision.reason,
        source: decision.source,
        duration_us: duration,
        elapsed_ms: Math.round(duration / 1000),
      });
    } catch {
      return this.#unrecorded(decision);
    }
    return decision;
  }

  /** No sink, or one that fails. */
  #unrecorded(decision: PermissionDecision): PermissionDecision {
    if (this.#config.auditRequired !== true || decision.decision !== 'allow') return decision;
    const message = 'The decision could not be recorded.';
    return { ...decision, decision: 'deny', reason: 'invalid', message, error: 'audit_failed' };
  }

  /** Only calls that no rule matches are remembered, and one handler is asked: of the digests only the tool's entry differs. */
  #bindingOf({ toolName, tools, mode }: Pick<CallContext, 'toolName' | 'tools' | 'mode'>): GrantBinding {
    const { binding, sessionId, agentName } = this.#config;
    return {
      tenant: 'local',
      session: sessionId ?? 'main',
      agent: agentName ?? 'agent',
      cwd: workingFolders(this.#config).cwd,
      mode,
      policyVersion: '',
      digests: { rule: 'none', tool: toolDigest(tools, toolName), stages: 'none' },
      ...binding,
    };
  }

  #call(toolName: string, input: unknown, tools: ToolRegistry, mode: Mode): CallContext {
    const config = this.#config;
    return {
      ...stageSettings(config),
      toolName,
      input,
      mode,
      ...workingFolders(config),
      tools,
      policy: this.#rules.compiled(),
      bypass: { enabled: config.bypassDisabled !== true, honoursRules: config.bypassHonoursRules !== false },
      protected: config.protectedPaths ?? DEFAULT_CHECKER,
      fs: config.fs,
      unattended: config.unattended,
    };
  }

  /** Runs the pipeline, fetching what it needs, until it decides. */
  async #evaluate(call: CallContext, options: CheckOptions): Promise<Decided> {
    const grant = this.cache.size === 0 ? undefined : this.cache.find(call.toolName, call.input, this.#bindingOf(call));
    let shell: ShellParser | undefined;
    let facts: SessionFacts = {
      now: this.#clock.now(),
      denials: this.tracker.fact(call),
      grant: grant === undefined ? undefined : { scope: grant.scope, approvedBy: grant.approvedBy },
      hook: options.hook,
    };
    for (let round = 0; round < 4; round++) {
      const evaluation: Evaluation = evaluateCall({ ...call, shell }, facts);
      if (evaluation.kind === 'decided') return evaluation.verdict;
      switch (evaluation.need.type) {
        case 'shell-parser':
          shell = await (this.#config.shell ?? loadShellParser)();
          break;
        case 'classifier':
          facts = {
            ...facts,
            classifier: await askClassifier(
              this.#config,
              this.#classified.contextOf({ ...call, shell }, this.#config),
              call,
              { countedBy: this.tracker, signal: options.signal },
            ),
          };
          break;
        case 'parent':
          facts = { ...facts, parent: await askParent(this.#config.parent, this, call, options) };
          break;
      }
    }
    return NOT_JUDGED;
  }

  async #decide(
    toolName: string,
    input: unknown,
    tools: ToolRegistry,
    options: CheckOptions,
    hasToEnd: boolean,
  ): Promise<PermissionDecision> {
    const mode = options.mode ?? this.#mode;
    const call = this.#call(toolName, input, tools, mode);
    const verdict = await this.#evaluate(call, options);
    if (
      mode === 'bypass' &&
      this.#config.bypassDisabled === true &&
      (verdict.verdict === 'allow' || verdict.verdict === 'ask')
    ) {
      return {
        decision: 'deny',
        reason: 'bypass',
        source: 'bypass_mode',
        message: 'Bypass is disabled by the administrator.',
        error: 'bypass_disabled',
      };
    }
    if (verdict.countsForTracker === true && !isCountedBelow(this.tracker, options)) this.#count(verdict.verdict, call);
    // Calls that the mode leaves to people go to the handler; a rule's ask goes there only if it has to be decided.
    if (verdict.verdict !== 'ask' || (verdict.reason !== 'handler' && !hasToEnd)) return decisionOf(verdict);
    const answered = await this.#askHandler(call, verdict, options);
    if (!hasToEnd || answered.decision === 'allow' || answered.decision === 'deny') return answered;
    const message = this.#handler
      ? answered.message
      : 'This call needs a person, and nobody can be reached. It was not run.';
    return { ...answered, decision: 'deny', message };
  }

  #count(verdict: Decided['verdict'], call: CallContext): void {
    if (verdict === 'deny') this.tracker.recordDenial(call);
    else if (verdict === 'allow') this.tracker.reset();
  }

  async #askHandler(call: CallContext, verdict: Decided, options: CheckOptions): Promise<PermissionDecision> {
    const { signal } = options;
    const handler = this.#handler;
    if (handler === undefined) return { ...decisionOf(verdict), reason: 'no_handler', source: 'handler_check' };
    const lookup = call.tools.lookup(call.toolName);
    const permissions = lookup.kind === 'refused' ? [] : lookup.entry.permissions;
    this.#requests += 1;
    const base = { reason: 'handler', source: 'mode_dispatch', severity: verdict.severity } as const;
    let response: Awaited<ReturnType<PermissionRequestHandler['handle']>>;
    try {
      const request: PermissionRequest = {
        toolName: call.toolName,
        // A handler may change what it shows.
        toolInput: copyOf(call.input),
        requiredPermissions: permissions,
        riskLevel: riskLevel(permissions),
        prompt: `Tool [${call.toolName}] requires human approval`,
        suggestions: verdict.suggestions ?? [],
        context: verdict.message,
        requestId: `${this.#config.sessionId ?? 'main'}-${this.#requests}`,
        sessionId: this.#config.sessionId ?? 'main',
        agentName: this.#config.agentName ?? 'agent',
      };
      response = await askPerson(handler, request, this.#config.askTimeout, signal);
    } catch (error) {
      if (signal?.aborted)
        return { ...base, decision: 'deny', message: 'Nobody waits for the decision any more.', error: 'aborted' };
      if (error instanceof AskTimeoutError)
        return { ...base, decision: 'deny', message: 'Nobody answered in time.', error: 'handler_timeout' };
      return { ...base, decision: 'deny', message: 'The question to a person failed.', error: 'handler_failed' };
    }
    switch (response.kind) {
      case 'Allowed':
        return this.#approved(call, verdict, response, base);
      case 'Denied':
        if (!isCountedBelow(this.tracker, options)) this.tracker.recordDenial(call);
        return { ...base, decision: 'deny', message: response.reason ?? 'A person refused the call.' };
      case 'NeedMoreInfo':
        return { ...base, decision: 'ask', message: response.question, suggestions: [response.question] };
      default:
        response satisfies never;
        return { ...base, decision: 'deny', message: 'The answer is unknown.', error: 'handler_failed' };
    }
  }

  /** Judges again the input that a person changed: deny rules and protected paths win over the person. */
  async #approved(
    call: CallContext,
    asked: Decided,
    { scope = 'Once', modifiedArgs }: Extract<PermissionResponse, { kind: 'Allowed' }>,
    base: Pick<PermissionDecision, 'reason' | 'source' | 'severity'>,
  ): Promise<PermissionDecision> {
    const edited = modifiedArgs !== undefined;
    // The handler may keep what it answered, and change it later.
    const final = edited ? copyOf(modifiedArgs) : call.input;
    if (edited) {
      const again = await this.#evaluate({ ...call, input: final }, {});
      // A person who answers for a rule that asks has seen the edited call, so its ask is answered. A denial holds all the same.
      const isAnswered = again.reason === 'handler' || asked.reason !== 'handler';
      const stands = again.verdict === 'allow' || (again.verdict === 'ask' && isAnswered);
      if (!stands) return decisionOf(again);
    }
    // The cache holds exactly the approved input. A call that a rule asks about is asked about each time.
    if (asked.reason === 'handler') this.cache.record(call.toolName, final, scope, this.#bindingOf(call));
    this.tracker.reset();
    return {
      ...base,
      decision: 'allow',
      message: 'A person approved the call.',
      ...(edited ? { modifiedArgs: final } : {}),
    };
  }
}

const NOT_JUDGED: Decided = {
  verdict: 'error',
  reason: 'invalid',
  source: 'kernel',
  code: 'internal',
  message: 'The call could not be judged.',
};
const DEFAULT_CHECKER = new ProtectedPathChecker();
