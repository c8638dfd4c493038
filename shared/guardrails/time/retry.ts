/** Decides whether another attempt is made, and waits for it; the attempt decides everything else. */
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { Effect } from '../settings/config.ts';
import { type EffectKnowledge, executionError, type GuardrailError } from '../settings/errors.ts';
import { type BackoffSettings, backoffDelay } from './backoff.ts';

export type AttemptResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: GuardrailError };

interface RetryPlan extends BackoffSettings {
  /** Already 0 where the effect or a missing key forbids retries: see `allowedRetries`. */
  readonly maxRetries: number;
  readonly maxRetryTotalMs: number;
  /** The caller's own deadline: no attempt starts at or after it. */
  readonly deadlineAt?: number | undefined;
}

export type RetriedResult<T> = AttemptResult<T> & {
  /** The first try and the retries that were made. */
  readonly attempts: number;
};

/** Only an idempotent write whose caller gave a key is ever repeated. */
export function allowedRetries(effect: Effect, idempotencyKey: string | undefined | null, maxRetries: number): number {
  return effect === 'IdempotentWrite' && (idempotencyKey ?? '').trim() !== '' ? maxRetries : 0;
}

export async function withRetries<T>(
  plan: RetryPlan,
  attempt: (number: number) => Promise<AttemptResult<T>>,
  runtime: GuardrailRuntime,
  signal?: AbortSignal,
): Promise<RetriedResult<T>> {
  const startedAt = runtime.now();
  let effect: EffectKnowledge = 'not-started';
  for (let attempts = 1; ; attempts++) {
    const result = await attempt(attempts);
    if (result.ok) return { ...result, attempts };
    effect = lessKnown(effect, result.error.effect);
    // With no try left it is no longer retryable, hence `Error`. One that the time leaves no room for is the caller's to make, under
    // the same key: it stays `Retryable`.
    const triesLeft = attempts <= plan.maxRetries;
    const error = result.error.with({ isRetryable: mayPass(result.error) && triesLeft, effect });
    const end = { ok: false, error, attempts } as const;
    if (!error.isRetryable) return end;
    if (signal?.aborted) return { ...end, error: cancelledError(error) };
    const delay = backoffDelay(plan, attempts, runtime.random, hintOf(error));
    const nextAt = runtime.now() + delay;
    if (nextAt - startedAt > plan.maxRetryTotalMs) return end;
    if (plan.deadlineAt !== undefined && nextAt >= plan.deadlineAt) return end;
    await runtime.sleep(delay, signal);
    // A call that its caller gave up is not tried again.
    if (signal?.aborted) return { ...end, error: cancelledError(error) };
  }
}

/** A time-out, a limit, or a failure that its tool calls transient. Nothing else, whatever it says about itself. */
const mayPass = ({ category, code, isRetryable }: GuardrailError): boolean =>
  isRetryable && (category === 'ExecutionError' || code === 'Timeout' || code === 'RateLimited');

/** Knowledge about all attempts together: an attempt that may have taken effect is not undone by a later one that did not. */
const lessKnown = (a: EffectKnowledge, b: EffectKnowledge): EffectKnowledge =>
  KNOWLEDGE.indexOf(a) > KNOWLEDGE.indexOf(b) ? a : b;
const KNOWLEDGE: readonly EffectKnowledge[] = ['not-started', 'failed', 'unknown'];

/** Keeps what the last attempt told about the effect: it may have happened. */
export const cancelledError = (last?: GuardrailError): GuardrailError =>
  executionError('The caller cancelled the call.', {
    code: 'Cancelled',
    effect: last?.effect ?? 'not-started',
    cause: last,
  });

function hintOf(error: GuardrailError): number {
  const hint = error.details.retryAfterMs;
  return typeof hint === 'number' && Number.isFinite(hint) ? Math.max(0, hint) : 0;
}
