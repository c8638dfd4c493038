/** Builds the events of one call, so that nothing leaves without version, ids and redaction. */
import { nothing } from '../domain/maybe-promise.ts';
import type { EventSink, GuardrailEvent, GuardrailEventName } from '../ports/guardrail-events.ts';
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import type { CircuitState } from '../ports/stores/guardrail-state.ts';
import type { BudgetLevel } from './limits/budget.ts';
import { scrub } from './scrub.ts';
import type { GuardrailError } from './settings/errors.ts';
import type { ResolvedGuardrails } from './settings/resolve.ts';

interface CallIdentity {
  readonly correlationId: string;
  readonly causationId?: string | undefined;
  readonly tool: string;
  readonly origin: string;
  readonly agentId: string;
}

export class CallEvents {
  readonly #sink: EventSink;
  readonly #runtime: GuardrailRuntime;
  readonly #identity: CallIdentity;
  readonly #secrets: readonly string[];
  /** By id: the latest of several attempts counts. */
  readonly #budgets = new Map<string, BudgetLevel>();
  #inUse: number | undefined;

  /** `secrets`: texts that must not appear in any event of this call. */
  constructor(sink: EventSink, runtime: GuardrailRuntime, identity: CallIdentity, secrets: readonly string[]) {
    this.#sink = sink;
    this.#runtime = runtime;
    this.#identity = identity;
    this.#secrets = secrets;
  }

  /** Emits an event without the call's secrets. Callers redact the call's fields by name; `emit` takes the secrets out of every text. */
  emit(name: GuardrailEventName, detail: Readonly<Record<string, unknown>>): void {
    const event: GuardrailEvent = {
      name,
      eventVersion: 1,
      at: this.#runtime.now(),
      ...scrub(this.#identity, this.#secrets),
      detail: scrub(detail, this.#secrets),
    };
    try {
      const sent: unknown = this.#sink.emit(event);
      // An async function is a sink, too: its rejection, which nobody awaits, would end the process.
      if (sent !== undefined) Promise.resolve(sent).catch(nothing);
    } catch {
      // A broken sink must not decide whether a call runs.
    }
  }

  circuitEntered(state: CircuitState): void {
    const names = { open: 'CircuitOpen', 'half-open': 'CircuitHalfOpen', closed: 'CircuitClosed' } as const;
    this.emit(names[state], { circuitState: state });
  }

  budgetOverrun({ id, kind, amount }: { id: string; kind: string; amount: number }): void {
    this.emit('BudgetOverrun', { budgetId: `${id}:${kind}`, reserved: amount });
  }

  /** A limit refused the call; with a hint when to try again if the limiter knows. */
  rateLimited(error: GuardrailError): void {
    const { throttlingScope, scope, retryAfterMs } = error.details;
    const hint = retryAfterMs === undefined ? {} : { retryAfterMs };
    this.emit('RateLimited', { limiterId: throttlingScope, scope, tokensRequested: 1, ...hint });
  }

  slotTaken(inUse: number): void {
    this.#inUse = inUse;
  }

  budgetsReserved(levels: readonly BudgetLevel[]): void {
    for (const level of levels) this.#budgets.set(level.id, level);
  }

  succeeded(figures: { durationMs: number; attempts: number }): void {
    this.emit('ToolSucceeded', { ...figures, ...this.levels() });
  }

  /** The call has ended in an error: its category, code, duration and attempts. */
  failed(error: GuardrailError, figures: { durationMs: number; attempts: number }): void {
    const { category, code, isRetryable, message } = error;
    this.emit('ToolFailed', {
      error: { category, code, cause: CAUSES[category], message },
      isRetryable,
      ...figures,
      ...this.levels(),
    });
  }

  /** How full budgets and slots were when the call was admitted. */
  levels(): { readonly budgets?: readonly BudgetLevel[]; readonly inUse?: number } {
    return {
      ...(this.#budgets.size === 0 ? {} : { budgets: [...this.#budgets.values()] }),
      ...(this.#inUse === undefined ? {} : { inUse: this.#inUse }),
    };
  }
}

const CAUSES = {
  PolicyError: 'policy',
  AuthError: 'auth',
  ExecutionError: 'execution',
  SystemError: 'system',
  ContractError: 'contract',
} as const;

/** The settings of this call, each with the layer that set it. */
export function policyAppliedDetail(
  resolved: ResolvedGuardrails,
  maxRetries: number,
  seen: { circuitState: CircuitState | 'unknown'; tokensLeft: number | undefined; inUse: number | undefined },
): Record<string, unknown> {
  const { settings, shared, provider, budgets, clamped, layers, effect } = resolved;
  return {
    timeoutMs: settings.timeoutMs,
    retryPolicy: {
      maxRetries,
      backoffBaseMs: settings.backoffBaseMs,
      backoffMultiplier: settings.backoffMultiplier,
      backoffJitter: settings.backoffJitter,
      maxDelayMs: settings.maxDelayMs,
      maxRetryTotalMs: settings.maxRetryTotalMs,
    },
    rateLimit: {
      ratePerSecond: settings.ratePerSecond,
      burst: settings.burst,
      ...(provider.ratePerSecond === undefined ? {} : { providerRatePerSecond: provider.ratePerSecond }),
      ...(seen.tokensLeft === undefined
        ? {}
        : { limiterState: { available: seen.tokensLeft, capacity: shared.burst } }),
    },
    circuitState: seen.circuitState,
    concurrencyCaps: {
      maxConcurrent: settings.maxConcurrent,
      ...(provider.maxConcurrent === undefined ? {} : { providerMaxConcurrent: provider.maxConcurrent }),
      ...(seen.inUse === undefined ? {} : { inUse: seen.inUse }),
    },
    budgets: budgets.map(({ id, kind, limit, windowMs }) => ({ id, kind, limit, windowMs })),
    effect,
    // Copies: the settings hold for later calls too, and a sink may do with its event what it likes.
    clamped: [...clamped],
    layers: { ...layers },
  };
}
