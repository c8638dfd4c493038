/** Interprets cases of the guardrails: delays, retries, time-outs. */
import { GuardrailError } from '../../../shared/guardrails/settings/errors.ts';
import { BUILT_IN } from '../../../shared/guardrails/settings/settings.ts';
import { backoffDelay } from '../../../shared/guardrails/time/backoff.ts';
import { seededRandom } from '../../../shared/policies/random.ts';
import type { Fields } from '../fields.ts';
import { type Given, inCaseNames, layerOf, settingsOf, shownError } from './guardrails-given.ts';
import { providerOf } from './guardrails-provider.ts';
import { world } from './guardrails-world.ts';
import { wantsList } from './matching.ts';

/** One delay, or with a provider the loop. */
export async function backoff(given: Given, expected: Fields): Promise<Fields> {
  if (given.has('provider')) return retry(given, expected);
  const attempt = given.number('attempt', 1);
  const samples = given.number('samples', 1);
  const hint = given.number('retry_after_ms', 0);
  const settings = { ...BUILT_IN, ...settingsOf(given) };
  const random = seededRandom('conformance', 'backoff');
  const middle = () => 0.5;
  const one = (source: () => number) => Math.round(backoffDelay(settings, attempt, source, hint) * 1e6) / 1e6;
  return { delay_ms: one(middle), delay_samples_ms: Array.from({ length: samples }, () => one(random)) };
}

/** A whole call. Retry settings of the case are in the environment: the tool only declares its effect. */
export async function retry(given: Given, expected: Fields): Promise<Fields> {
  // A case about the loop itself, not about what may enter it, leaves effect and key out.
  const aboutTheLoop = given.has('base_ms') && !given.has('effect');
  const effect = given.text('effect', aboutTheLoop ? 'IdempotentWrite' : 'NonIdempotentWrite');
  const key = given.has('idempotency_key') ? given.get('idempotency_key') : aboutTheLoop ? 'k' : undefined;
  const cancelledDuring = given.number('cancelled_during_attempt', 0);
  const hint = given.get('retry_after_ms');
  const provider = providerOf(given.text('provider', 'ok'));
  const deadlineIn = given.get('deadline_in_ms');
  const stated = given.get('invocation');
  const { settings: base } = layerOf(given.get('env'));
  const caller = new AbortController();
  const startedAt: number[] = [];
  const endedAt: number[] = [];
  const w = world({
    environment: { ratePerSecond: 1000, ...base, ...settingsOf(given) },
    tool: { effect },
    behaviour: async (attempt, runtime) => {
      startedAt.push(runtime.now());
      // The signal of an attempt aborts when the attempt is over, well or not.
      attempt.signal.addEventListener('abort', () => endedAt.push(runtime.now()));
      if (attempt.number === cancelledDuring) caller.abort();
      const result = provider(attempt, runtime);
      return hint === undefined ? result : result.catch((error) => Promise.reject(withHint(error, Number(hint))));
    },
  });
  const result = await w.invoke({
    idempotencyKey: typeof key === 'string' ? key : null,
    signal: caller.signal,
    limits: {
      ...layerOf(stated).settings,
      ...(typeof deadlineIn === 'number' ? { deadlineAt: w.runtime.now() + deadlineIn } : {}),
    },
  });
  const slept = startedAt.slice(1).map((start, index) => start - (endedAt[index] ?? start));
  const applied = w.named('PolicyApplied')[0]?.detail ?? {};
  return {
    ...result,
    ...inCaseNames(applied),
    error: shownError(result.error),
    output: result.output ?? null,
    is_retryable: result.error?.isRetryable ?? false,
    keys_sent: w.calls.map(({ idempotencyKey }) => idempotencyKey ?? null),
    provider_calls: w.calls.length,
    provider_called: w.calls.length > 0,
    slept_ms: wantsList(expected, 'slept_ms') ? slept : slept.reduce((sum, ms) => sum + ms, 0),
    elapsed_ms: result.durationMs,
    duration_ms: result.durationMs,
  };
}

/** The failures of the provider, each with a hint. */
function withHint(error: unknown, retryAfterMs: number): unknown {
  if (!(error instanceof GuardrailError)) return error;
  const { category, code, message, details, isRetryable, effect } = error;
  return new GuardrailError(category, code, message, { details: { ...details, retryAfterMs }, isRetryable, effect });
}
