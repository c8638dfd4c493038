/** Tries a request again by the SDK's own rules of errors that pass, pauses and tries. */
import { isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { DynamoDBServiceException } from './errors.ts';

const DEFAULT_ATTEMPTS = 3;
/** The SDK's for this service. */
const BASE_DELAY_MS = 25;

export class Retries {
  readonly #strategy: StandardRetryStrategy;

  constructor(maxAttempts: number = DEFAULT_ATTEMPTS) {
    this.#strategy = new StandardRetryStrategy({ maxAttempts, baseDelay: BASE_DELAY_MS });
  }

  /** @throws the last attempt's error, once it does not pass by itself, the tries are used up, or the signal aborts */
  async run<Result>(attempt: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    let token = await this.#strategy.acquireInitialRetryToken('');
    for (let attempts = 1; ; attempts++) {
      try {
        const result = await attempt();
        this.#strategy.recordSuccess(token);
        return result;
      } catch (error) {
        if (error instanceof DynamoDBServiceException) error.$metadata.attempts = attempts;
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
