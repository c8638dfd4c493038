/** Runs a guarded call: resolve, validate, authorize, apply policies, execute, validate, observe. */
import { andThen, isPromise, type MaybePromise } from '../domain/maybe-promise.ts';
import type { EventSink } from '../ports/guardrail-events.ts';
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import type { CircuitState, GuardrailState } from '../ports/stores/guardrail-state.ts';
import { runAttempt } from './attempt.ts';
import { type CallSettings, SettingsResolver } from './call-settings.ts';
import { CallEvents, policyAppliedDetail } from './events.ts';
import { Admission } from './limits/admission.ts';
import type { SeenCircuit } from './limits/circuit.ts';
import { CIRCUIT_GAUGE } from './limits/circuit-breaker.ts';
import { bucketsOf } from './limits/limits.ts';
import { GuardrailMetrics } from './metrics.ts';
import { type SecretsIn, scrub } from './scrub.ts';
import type { Authorizer, FindTool, GuardedResult, GuardedTool, ToolInvocation } from './settings/call.ts';
import type { GuardrailsConfig } from './settings/config.ts';
import { authError, contractError, GuardrailError, systemError } from './settings/errors.ts';
import { circuitKey } from './settings/keys.ts';
import type { ResolvedGuardrails } from './settings/resolve.ts';
import { BUILT_IN } from './settings/settings.ts';
import { type AttemptResult, allowedRetries, type RetriedResult, withRetries } from './time/retry.ts';
import { soon, withDeadline } from './time/timeout.ts';

/** The parts of `Guardrails`. */
export interface GuardrailDependencies {
  /** Read for each call: another policy is another object. */
  readonly config: GuardrailsConfig;
  readonly state: GuardrailState;
  readonly runtime: GuardrailRuntime;
  readonly events: EventSink;
  readonly findTool: FindTool;
  readonly authorize?: Authorizer;
  /** True where several processes share the state. */
  readonly agentShare?: boolean;
}

/** The circuit's state in `PolicyApplied` is not worth a longer wait. */
const ANNOUNCE_TIMEOUT_MS = 1000;
const AUTHORIZE_TIMEOUT_MS = BUILT_IN.timeoutMs;

/** The figures of one tool as this process sees it; saturations from 0 to 1. */
export interface Gauges {
  /** 0: full bucket, 1: empty; absent while this process has not heard of it. */
  readonly rateLimiterSaturation: number | undefined;
  readonly concurrencyInUse: number;
  readonly concurrencySaturation: number;
  /** 0 closed, 1 half-open, 2 open. */
  readonly circuitState: number;
}

/** Runs tools behind time-outs, retries, breakers, rates, concurrency and budgets. Times in milliseconds; never throws. */
export class GuardedCalls {
  readonly metrics = new GuardrailMetrics();
  /** @internal Admits calls that somebody else runs. */
  readonly admission: Admission;
  readonly #deps: GuardrailDependencies;
  readonly #secretsIn: SecretsIn;
  readonly #settings: SettingsResolver;
  readonly #circuitSeen = new Map<string, CircuitState>();

  /** @param secretsIn - finds the secrets of a call before anything is told of it */
  constructor(deps: GuardrailDependencies, secretsIn: SecretsIn) {
    const share = deps.agentShare ?? false;
    this.#deps = deps;
    this.#secretsIn = secretsIn;
    this.admission = new Admission(deps.state, deps.runtime, share);
    this.#settings = new SettingsResolver(share, deps.runtime);
  }

  /** Never rejects: whatever happens is in the result. */
  async invoke(invocation: ToolInvocation): Promise<GuardedResult> {
    return (await this.run(invocation)).result;
  }

  /** As `invoke`; `cause` is what a tool threw in its own words, which may hold a secret: for whoever wrote the tool, and nobody else. */
  async run(invocation: ToolInvocation): Promise<{ readonly result: GuardedResult; readonly cause?: unknown }> {
    const { runtime, events: sink } = this.#deps;
    const startedAt = runtime.now();
    const correlationId = invocation.correlationId?.trim() || runtime.newId();
    const found = this.#secretsIn({
      headers: invocation.headers ?? {},
      input: invocation.input,
    });
    const { secrets, redactions } = isPromise(found) ? await found : found;
    const tool = this.#find(invocation);
    const origin = tool?.origin ?? 'unknown';
    const { agentId, toolName, causationId } = invocation;
    const identity = { correlationId, tool: toolName, origin, agentId, ...(causationId ? { causationId } : {}) };
    const events = new CallEvents(sink, runtime, identity, secrets);
    // Names only: a value may be a secret that its name does not give away.
    events.emit('ToolInvoked', { headers: Object.keys(invocation.headers ?? {}), redactions });

    const run = await this.#run(invocation, tool, events, correlationId);
    const { final, snapshot } = run;
    // A clock may be set back meanwhile.
    const durationMs = Math.max(0, runtime.now() - startedAt);
    const figures = { durationMs, attempts: final.attempts };
    const errorCode = final.ok ? undefined : final.error.code;
    this.metrics.record({ tool: toolName, origin, ...figures, errorCode });
    if (final.ok) events.succeeded(figures);
    else events.failed(final.error, figures);

    const envelope = {
      ...figures,
      ...(tool?.version === undefined ? {} : { resolvedVersion: tool.version }),
      ...(snapshot ? { policySnapshot: snapshot } : {}),
      correlationId,
      origin,
    };
    if (final.ok) return { result: { status: 'Ok', output: final.value, ...envelope, effect: 'succeeded' } };
    const error = scrub(final.error.toToolError(origin), secrets);
    if (final.error.code === 'BudgetExceeded' && invocation.fallback) {
      const degraded = await degrade(
        invocation.fallback,
        final.error,
        snapshot?.timeoutMs ?? AUTHORIZE_TIMEOUT_MS,
        runtime,
      );
      if (degraded) {
        const { effect } = final.error;
        return { result: { status: 'Ok', output: degraded.value, ...envelope, effect, degraded: true } };
      }
    }
    const status = error.isRetryable ? 'Retryable' : 'Error';
    return { result: { status, error, ...envelope, effect: final.error.effect }, cause: final.error.cause };
  }

  /** Saturation as this process knows it, without I/O. */
  gauges(call: { toolName: string; origin: string; agentId: string }): Gauges {
    const { limits } = this.#settings.of(this.#deps.config, call, call.agentId);
    const [bucket] = limits.buckets;
    const [cap] = limits.caps;
    const tokens = bucket && this.admission.rates.peek(bucket);
    const inUse = cap ? this.admission.slots.inUse(cap.key) : 0;
    const circuit = this.#circuitSeen.get(limits.circuit) ?? 'closed';
    return {
      rateLimiterSaturation: bucket && tokens !== undefined ? 1 - tokens / bucket.burst : undefined,
      concurrencyInUse: inUse,
      concurrencySaturation: cap ? inUse / cap.limit : 0,
      circuitState: CIRCUIT_GAUGE[circuit],
    };
  }

  /**
   * @internal
   * Emits the events of a call that is admitted here and run by somebody else, as `invoke` does for its own calls. The result observes
   * the admission; its caller then calls `applied`, and `refused` or, with the outcome and perhaps in another process, `ended`.
   */
  eventsOf(call: { toolName: string; origin: string; agentId: string; correlationId: string; causationId?: string }) {
    const { runtime, events: sink } = this.#deps;
    const { toolName, ...ids } = call;
    const { origin, agentId } = ids;
    const events = new CallEvents(sink, runtime, { ...ids, tool: toolName }, []);
    let circuitState: CircuitState | 'unknown' = 'unknown';
    const ended = (durationMs: number, error?: GuardrailError) => {
      const figures = { durationMs, attempts: 1 };
      this.metrics.record({ tool: toolName, origin, ...figures, errorCode: error?.code });
      if (error) events.failed(error, figures);
      else events.succeeded(figures);
    };
    return {
      budgetsReserved: events.budgetsReserved.bind(events),
      slotTaken: events.slotTaken.bind(events),
      budgetOverrun: events.budgetOverrun.bind(events),
      circuitMet: (state: CircuitState) => {
        circuitState = state;
        this.#circuitSeen.set(circuitKey(call), state);
      },
      circuitEntered: (state: CircuitState) => {
        this.#circuitSeen.set(circuitKey(call), state);
        events.circuitEntered(state);
      },
      applied: (resolved: ResolvedGuardrails) => {
        events.emit('ToolInvoked', { headers: [], redactions: [] });
        const [bucket] = bucketsOf(call, agentId, resolved);
        const { budgets: budgetLevels, inUse } = events.levels();
        const detail = policyAppliedDetail(resolved, 0, {
          circuitState,
          tokensLeft: bucket && this.admission.rates.peek(bucket),
          inUse,
        });
        events.emit('PolicyApplied', { ...detail, ...(budgetLevels ? { budgetLevels } : {}) });
      },
      refused: (error: GuardrailError, durationMs: number) => {
        if (error.code === 'RateLimited') events.rateLimited(error);
        ended(durationMs, error);
      },
      ended,
    };
  }

  async #run(invocation: ToolInvocation, tool: GuardedTool | undefined, events: CallEvents, correlationId: string) {
    let snapshot: GuardedResult['policySnapshot'];
    try {
      const checking = this.#check(invocation, tool);
      const call = isPromise(checking) ? await checking : checking;
      const { resolved } = call;
      const retries = allowedRetries(resolved.effect, invocation.idempotencyKey, resolved.settings.maxRetries);
      // Awaited also if it is done at once: calls that come at the same time are announced before any of them takes anything.
      const seen = await this.#announce(events, call, retries);
      const circuitState = seen?.row.state ?? 'unknown';
      snapshot = { timeoutMs: resolved.settings.timeoutMs, maxRetries: retries, circuitState };
      return {
        final: await this.#attempts(invocation, tool as GuardedTool, call, { retries, seen, events, correlationId }),
        snapshot,
      };
    } catch (thrown) {
      const known =
        thrown instanceof GuardrailError ? thrown : systemError('Internal', 'The call failed here.', thrown);
      // Once attempts began, nobody here can say that nothing happened.
      const error = known.with({ isRetryable: false, ...(snapshot ? { effect: 'unknown' as const } : {}) });
      const final: RetriedResult<unknown> = { ok: false, error, attempts: 1 };
      return { final, snapshot };
    }
  }

  /** Everything before the policies: a call that fails here consumes nothing. */
  #check(invocation: ToolInvocation, tool: GuardedTool | undefined): MaybePromise<CallSettings> {
    if (!tool) throw contractError('ToolNotFound', `There is no tool ${invocation.toolName}.`);
    const problem = tool.validateInput?.(invocation.input);
    if (problem !== undefined) throw contractError('ValidationFailed', problem);
    return andThen(this.#authorize(invocation, tool), (refusal) => {
      if (refusal !== undefined) throw authError('NotAuthorized', refusal);
      const { agentId, limits } = invocation;
      const identity = { toolName: tool.name, origin: tool.origin };
      const call = this.#settings.of(this.#deps.config, identity, agentId, limits);
      if (call.resolved.listed) return call;
      throw authError('ToolNotListed', `${tool.name} of ${tool.origin} is not listed in the policy.`);
    });
  }

  /** Asks `authorize` with a deadline, so that no call waits for ever. No answer in time is a refusal. */
  #authorize(invocation: ToolInvocation, tool: GuardedTool): MaybePromise<string | undefined> {
    const { authorize } = this.#deps;
    return authorize && this.#ask(authorize, invocation, tool);
  }

  async #ask(authorize: Authorizer, invocation: ToolInvocation, tool: GuardedTool): Promise<string | undefined> {
    const { runtime } = this.#deps;
    const asked = await withDeadline(
      () => authorize(invocation, tool),
      AUTHORIZE_TIMEOUT_MS,
      runtime,
      invocation.signal,
    );
    if (asked.type === 'done') return asked.value;
    if (asked.type === 'threw') throw asked.thrown;
    return 'Nobody said in time that the call may run.';
  }

  /** `PolicyApplied`, once per call and also when the call is then refused. */
  #announce(events: CallEvents, call: CallSettings, retries: number): MaybePromise<SeenCircuit | undefined> {
    const { resolved, limits } = call;
    const waitMs = Math.min(Math.max(1, resolved.settings.timeoutMs), ANNOUNCE_TIMEOUT_MS);
    const load = () => this.admission.circuits.load(limits.circuit);
    return andThen(soon(load, waitMs, this.#deps.runtime), (read) => {
      const seen = read.type === 'done' ? read.value : undefined;
      const circuitState = seen?.row.state ?? 'unknown';
      if (seen) this.#circuitSeen.set(limits.circuit, seen.row.state);
      const [bucket] = limits.buckets;
      const [cap] = limits.caps;
      const tokensLeft = bucket && this.admission.rates.peek(bucket);
      const inUse = cap ? this.admission.slots.inUse(cap.key) : 0;
      events.emit('PolicyApplied', policyAppliedDetail(resolved, retries, { circuitState, tokensLeft, inUse }));
      return seen;
    });
  }

  #attempts(
    invocation: ToolInvocation,
    tool: GuardedTool,
    { tool: identity, resolved, limits }: CallSettings,
    rest: { retries: number; seen: SeenCircuit | undefined; events: CallEvents; correlationId: string },
  ): Promise<RetriedResult<unknown>> {
    const { runtime } = this.#deps;
    const { retries: maxRetries, seen, events, correlationId } = rest;
    const plan = {
      invocation,
      tool,
      identity,
      resolved,
      limits,
      correlationId,
      circuitSeen: seen,
      reservationBase: invocation.permitId ?? runtime.newId(),
      begin: invocation.begin && { isDone: false, write: invocation.begin },
      observer: {
        circuitEntered: (state: CircuitState) => {
          this.#circuitSeen.set(limits.circuit, state);
          events.circuitEntered(state);
        },
        budgetsReserved: events.budgetsReserved.bind(events),
        slotTaken: events.slotTaken.bind(events),
        budgetOverrun: events.budgetOverrun.bind(events),
      },
    };
    const attempt = async (number: number): Promise<AttemptResult<unknown>> => {
      const result = await runAttempt(this.admission, runtime, plan, number);
      if (!result.ok && result.error.code === 'RateLimited') events.rateLimited(result.error);
      return result;
    };
    const retry = { ...resolved.settings, maxRetries, deadlineAt: resolved.deadlineAt };
    return withRetries(retry, attempt, runtime, invocation.signal);
  }

  #find({ toolName, versionRange }: ToolInvocation): GuardedTool | undefined {
    try {
      return this.#deps.findTool(toolName, versionRange);
    } catch {
      return undefined;
    }
  }
}

/** A fallback that fails, or takes longer than the tool might, leaves the refusal as it was. */
async function degrade(
  fallback: NonNullable<ToolInvocation['fallback']>,
  error: GuardrailError,
  timeoutMs: number,
  runtime: GuardrailRuntime,
) {
  const answered = await withDeadline(() => fallback(error), timeoutMs, runtime);
  return answered.type === 'done' ? answered : undefined;
}
