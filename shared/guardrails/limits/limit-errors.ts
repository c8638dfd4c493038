/** Words the refusals of limits in one form: what happened, the limits behind it, and the next step. */
import { type EffectKnowledge, GuardrailError, RAN } from '../settings/errors.ts';

const limited = (what: string, limits: readonly string[], next: string): string =>
  `${what}${limits.length ? ` (${limits.join(', ')})` : ''}. ${next}`;

const againIn = (ms: number | undefined): string =>
  `${RAN['not-started']} Try again ${ms === undefined ? 'later' : `in ${ms} ms`}.`;

/** `elapsedMs` and the configured `deadlineMs`. Unknown effect if the tool had begun. */
export const timeoutError = (elapsedMs: number, deadlineMs: number, effect: EffectKnowledge): GuardrailError => {
  const next = effect === 'not-started' ? againIn(undefined) : 'It may have taken effect: look before you try again.';
  const limits = ['timeoutMs, or what was left of it'];
  return new GuardrailError('PolicyError', 'Timeout', limited(`No result within ${deadlineMs} ms`, limits, next), {
    details: { elapsedMs, deadlineMs },
    isRetryable: true,
    effect,
  });
};

export interface ThrottleFacts {
  readonly scope: 'tool' | 'provider';
  /** Names the limiter that refused. */
  readonly throttlingScope: string;
  /** Absent when there is no hint to give. */
  readonly retryAfterMs?: number | undefined;
  /** As the message names them. */
  readonly limits?: readonly string[];
}

/** A bucket is empty; `retryAfterMs` says when it holds enough again. Nothing was run. */
export const rateLimitedError = (facts: ThrottleFacts): GuardrailError => {
  const { retryAfterMs, limits = [], ...named } = facts;
  const message = limited(`Too many calls of ${facts.throttlingScope}`, limits, againIn(retryAfterMs));
  return new GuardrailError('PolicyError', 'RateLimited', message, {
    details: retryAfterMs === undefined ? named : { ...named, retryAfterMs },
    isRetryable: true,
  });
};

/** The tool fails and is left alone; `retryAfterMs` until a probe may pass. Nothing was run. `limits`: as the message names them. */
export const circuitOpenError = (
  circuitState: 'open' | 'half-open',
  retryAfterMs: number,
  limits: readonly string[] = [],
): GuardrailError => {
  const message = limited('The tool is failing and is left alone', limits, againIn(retryAfterMs));
  return new GuardrailError('PolicyError', 'CircuitOpen', message, { details: { circuitState, retryAfterMs } });
};

/** The budget has no room for this call; `resetAfterMs` until its window ends. Nothing was run. `limits`: as the message names them. */
export const budgetExceededError = (
  budgetId: string,
  resetAfterMs: number,
  limits: readonly string[] = [],
): GuardrailError => {
  const message = limited(`Budget ${budgetId} has no room for this call`, limits, againIn(resetAfterMs));
  return new GuardrailError('PolicyError', 'BudgetExceeded', message, { details: { budgetId, resetAfterMs } });
};

/** No slot is free and the queue is full; `retryAfterMs` if anything is known of the next one. Nothing was run. */
export const concurrencyLimitedError = (
  limiterId: string,
  retryAfterMs?: number,
  limits: readonly string[] = [],
): GuardrailError => {
  const message = limited(`Too many calls of ${limiterId} are running`, limits, againIn(retryAfterMs));
  return new GuardrailError('PolicyError', 'ConcurrencyLimited', message, {
    details: { limiterId, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  });
};

/** A 429 of the provider: it did not run the call, and closes its bucket for that long. */
export const providerThrottledError = (provider: string, retryAfterMs?: number): GuardrailError =>
  rateLimitedError({ scope: 'provider', throttlingScope: provider, retryAfterMs, limits: ['it answered 429'] });
