/** Tries a request again by the SDK's own rules of errors that pass, pauses and tries. */
import { isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { ServiceException } from './exception.ts';

const DEFAULT_ATTEMPTS = 3;

export class Retries {
  readonly #strategy: StandardRetryStrategy;

  constructor(baseDelayMs: number, maxAttempts: number = DEFAULT_ATTEMPTS) {
    this.#strategy = new StandardRetryStrategy({ maxAttempts, baseDelay: baseDelayMs });
  }

  /** @throws the last attempt's error, once it does not pass by itself, the tries are used up, or the signal aborts */
  async run<Result>(attempt: () => Promise<Result>, signal: AbortSignal | undefined, isPoll: boolean): Promise<Result> {
    // A poll pauses even where no try is left: its caller polls again at once.
    let token = await this.#strategy.acquireInitialRetryToken(isPoll ? ':longpoll' : '');
    for (let attempts = 1; ; attempts++) {
      try {
        const result = await attempt();
        this.#strategy.recordSuccess(token);
        return result;
      } catch (error) {
        if (error instanceof ServiceException) error.$metadata.attempts = attempts;
        if (signal?.aborted) throw error;
        const next = await orAborted(this.#strategy.refreshRetryTokenForRetry(token, infoOf(error)), signal);
        if (!next) throw error;
        token = next;
      }
    }
  }
}

type RetryInfo = Parameters<StandardRetryStrategy['refreshRetryTokenForRetry']>[1];

function infoOf(error: unknown): RetryInfo {
  const known = error as Parameters<typeof isThrottlingError>[0];
  if (isThrottlingError(known)) return { error: known, errorType: 'THROTTLING' };
  return { error: known, errorType: isTransientError(known) ? 'TRANSIENT' : 'CLIENT_ERROR' };
}

/** Undefined if it is refused, or the signal aborts first. */
async function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value | undefined> {
  const refused = value.catch(() => undefined);
  if (!signal) return refused;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const listener = () => resolve(undefined);
  signal.addEventListener('abort', listener, { once: true });
  try {
    return await Promise.race([refused, aborted]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}
