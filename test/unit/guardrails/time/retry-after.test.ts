/** Checks the wait before another try, without a look into the details of each kind of error. */
import { expect, test } from 'vitest';
import {
  budgetExceededError,
  circuitOpenError,
  concurrencyLimitedError,
  rateLimitedError,
  timeoutError,
} from '../../../../shared/guardrails/limits/limit-errors.ts';
import { executionError } from '../../../../shared/guardrails/settings/errors.ts';

test.each([
  ['a rate limit', rateLimitedError({ scope: 'tool', throttlingScope: 'Search', retryAfterMs: 250 }), 250],
  ['a rate limit that gives no hint', rateLimitedError({ scope: 'tool', throttlingScope: 'Search' }), undefined],
  ['an open circuit', circuitOpenError('open', 1_000), 1_000],
  ['a budget', budgetExceededError('daily', 60_000), 60_000],
  ['a full queue', concurrencyLimitedError('Search', 5), 5],
  ['a time-out', timeoutError(10, 10, 'unknown'), undefined],
  ['a failure', executionError('no'), undefined],
])('%s', (_, error, expected) => {
  expect(error.retryAfterMs).toBe(expected);
  expect(error.with({ isRetryable: false }).retryAfterMs).toBe(expected);
});
