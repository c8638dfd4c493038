/** Declares the errors that a guarded call can end in, in words that an agent can act on. */
import type { ErrorCategory } from '../../contract/primitives.ts';
import { CountersignError, isCountersignError } from '../../domain/errors.ts';

export type { ErrorCategory };

/** Knowledge about the effect: whether the tool began, and whether the effect may have happened. */
export type EffectKnowledge = 'not-started' | 'failed' | 'unknown';

/** The plain form that results, events and queues carry. */
export interface ToolError {
  readonly category: ErrorCategory;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly isRetryable: boolean;
  readonly origin?: string;
}

/** The details of an error, by its code. */
export type GuardrailDetails = {
  readonly Timeout: { readonly elapsedMs: number; readonly deadlineMs: number };
  readonly RateLimited: {
    readonly scope: 'tool' | 'provider';
    /** Names the limiter that refused. */
    readonly throttlingScope: string;
    readonly retryAfterMs?: number;
  };
  readonly CircuitOpen: { readonly circuitState: 'open' | 'half-open'; readonly retryAfterMs: number };
  readonly BudgetExceeded: { readonly budgetId: string; readonly resetAfterMs: number };
  readonly ConcurrencyLimited: { readonly limiterId: string; readonly retryAfterMs?: number };
};

/** The details of an error with this code; of a code that is not known, any. */
export type DetailsOf<Code extends string> = Code extends keyof GuardrailDetails
  ? GuardrailDetails[Code]
  : Readonly<Record<string, unknown>>;

/** Facts of a failure besides its code. */
export interface GuardrailErrorFacts {
  readonly details?: Readonly<Record<string, unknown>>;
  /** Worth another try as such; whether one is left is for the retry loop to say. */
  readonly isRetryable?: boolean;
  readonly effect?: EffectKnowledge;
  readonly cause?: unknown;
}

/** Words of a refusal about the tool's work, by what is known of all tries: the last one was not run. */
export const RAN: Readonly<Record<EffectKnowledge, string>> = {
  'not-started': 'Nothing was run.',
  failed: 'It was not tried again.',
  unknown: 'An earlier try may have taken effect.',
};

/**
 * Every refusal and failure of a guarded call. `category` and `code` are stable; `effect` tells what is known of the tool's own work.
 *
 * @example
 * const refund = guardrails({ config: { environment: 'production', environments: { production: {} } }, tools: [] });
 * await refund.call('Refund', { order: 7 }, { agent: 'billing' }).catch((error: unknown) => {
 *   if (isGuardrailError(error, 'RateLimited')) console.log(error.details.throttlingScope, error.retryAfterMs);
 * });
 */
export class GuardrailError<Code extends string = string> extends CountersignError<Code> {
  override readonly name = 'GuardrailError';
  readonly category: ErrorCategory;
  readonly details: DetailsOf<Code>;
  readonly isRetryable: boolean;
  readonly effect: EffectKnowledge;

  constructor(category: ErrorCategory, code: Code, message: string, facts: GuardrailErrorFacts = {}) {
    super(code, message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.category = category;
    this.details = (facts.details ?? {}) as DetailsOf<Code>;
    this.isRetryable = facts.isRetryable ?? false;
    this.effect = facts.effect ?? 'not-started';
  }

  /** Milliseconds until another try may work. Undefined if nothing is known, or no wait would help. */
  get retryAfterMs(): number | undefined {
    const details: Readonly<Record<string, unknown>> = this.details;
    const { retryAfterMs = details['resetAfterMs'] } = details;
    return typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
  }

  /** The same error with another word on whether a further try is left, or on its effect. */
  with(change: { readonly isRetryable?: boolean; readonly effect?: EffectKnowledge }): GuardrailError<Code> {
    const { category, code, details, isRetryable, effect, cause } = this;
    const message =
      effect === 'not-started' ? this.message.replace(RAN['not-started'], RAN[change.effect ?? effect]) : this.message;
    return remade(category, code, message, { details, isRetryable, effect, cause, ...change });
  }

  /** As it goes to the agent: without `cause`, which may hold a stack or a secret. */
  toToolError(origin?: string): ToolError {
    const { category, code, message, details, isRetryable } = this;
    return { category, code, message, details, isRetryable, ...(origin === undefined ? {} : { origin }) };
  }
}

/** A bundler renames a class that names itself in its body, and stack traces show that name. */
const remade = <Code extends string>(...given: ConstructorParameters<typeof GuardrailError<Code>>) =>
  new GuardrailError<Code>(...given);

/**
 * Whether `error` is a `GuardrailError`, with this code if one is given; also if another copy of the package threw it.
 *
 * @param code makes `details` those of the code
 */
export function isGuardrailError<Code extends string = string>(
  error: unknown,
  code?: Code,
): error is GuardrailError<Code> {
  return isCountersignError(error) && 'category' in error && 'effect' in error && (!code || error.code === code);
}

/** The call or a setting is not what it must be; nothing was consumed. */
export const contractError = (code: string, message: string, details?: Readonly<Record<string, unknown>>) =>
  new GuardrailError('ContractError', code, message, details ? { details } : {});

/** The agent may not make this call. Nothing was run. */
export const authError = (code: string, message: string): GuardrailError =>
  new GuardrailError('AuthError', code, message);

/** The error for a tool's own failure. `transient`: the tool says that another try may work. */
export const executionError = (
  message: string,
  facts: { transient?: boolean; code?: string; cause?: unknown; effect?: EffectKnowledge } = {},
): GuardrailError =>
  new GuardrailError('ExecutionError', facts.code ?? 'ToolFailed', message, {
    isRetryable: facts.transient ?? false,
    effect: facts.effect ?? (facts.transient ? 'unknown' : 'failed'),
    cause: facts.cause,
  });

/** The guardrails themselves failed, and so refuse (fail closed); `cause` is for logs only. */
export const systemError = (code: string, message: string, cause?: unknown): GuardrailError =>
  new GuardrailError('SystemError', code, message, { cause });

/** The error for anything that a tool throws. The tool's own text stays in `cause`: such a text may hold a stack or a secret. */
export const asGuardrailError = (thrown: unknown): GuardrailError =>
  knownError(thrown) ?? executionError('The tool failed.', { cause: thrown, effect: 'unknown' });

/** The error as one of this copy of the package, whose methods the caller knows; undefined if it is no `GuardrailError`. */
export function knownError(thrown: unknown): GuardrailError | undefined {
  if (!isGuardrailError(thrown)) return undefined;
  const { category, code, message } = thrown;
  if (thrown instanceof GuardrailError) return thrown;
  return new GuardrailError(category, code, message, thrown);
}
