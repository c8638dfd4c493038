/** Checks retries of a guarded call, and what is known of its effect then (R3-008, R3-032, G32). */
import { describe, expect, test } from 'vitest';
import { providerThrottledError } from '../../../shared/guardrails/limits/limit-errors.ts';
import { authError, contractError, executionError } from '../../../shared/guardrails/settings/errors.ts';
import { world } from './harness.ts';

const idempotent = { effect: 'IdempotentWrite', maxRetries: 2 };
const transient = () => executionError('try again', { transient: true });

describe('retries', () => {
  test('GR-025 a call that is not idempotent gets one attempt, whatever went wrong', async () => {
    for (const effect of ['NonIdempotentWrite', 'ExternalSideEffects', 'Pure', undefined]) {
      const w = world({
        environment: { maxRetries: 3, timeoutMs: 100 },
        tool: effect ? { effect } : {},
        behaviour: async (_attempt, runtime) => {
          await runtime.sleep(500);
        },
      });
      const result = await w.invoke({ idempotencyKey: 'k' });
      expect(result).toMatchObject({ attempts: 1, status: 'Error', effect: 'unknown', error: { isRetryable: false } });
      expect(w.calls).toHaveLength(1);
    }
  });

  test('an idempotent write without a key, or with a blank one, is not repeated (R3-023, R3-026)', async () => {
    for (const idempotencyKey of [undefined, null, '', '  ']) {
      const w = world({ tool: idempotent, behaviour: () => Promise.reject(transient()) });
      expect((await w.invoke({ idempotencyKey })).attempts).toBe(1);
    }
  });

  test('a key reaches the tool as it was written, with each attempt (R3-027)', async () => {
    const w = world({ tool: { ...idempotent, maxRetries: 1 }, behaviour: () => Promise.reject(transient()) });
    await w.invoke({ idempotencyKey: ' k' });
    expect(w.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([' k', ' k']);
  });

  test('stops where the total time would be passed, and then leaves the word to the caller (R3-032)', async () => {
    const w = world({
      tool: { ...idempotent, maxRetries: 10, maxRetryTotalMs: 700, backoffJitter: 0, failureThreshold: 100 },
      behaviour: () => Promise.reject(transient()),
    });
    const result = await w.invoke({ idempotencyKey: 'k' });
    expect(result).toMatchObject({ attempts: 3, durationMs: 600, status: 'Retryable', error: { isRetryable: true } });
    // The same for the caller's own deadline; with no try left it is an error, whatever time is left.
    const deadlineAt = w.runtime.now() + 350;
    expect(await w.invoke({ idempotencyKey: 'k', limits: { deadlineAt } })).toMatchObject({
      attempts: 2,
      status: 'Retryable',
    });
    expect(await w.invoke({ idempotencyKey: 'k', limits: { maxRetries: 1 } })).toMatchObject({
      attempts: 2,
      status: 'Error',
      error: { isRetryable: false },
    });
  });

  test('G32 what an earlier attempt may have done is not unsaid by a later one that did not begin', async () => {
    const begun: number[] = [];
    const w = world({
      tool: { ...idempotent, failureThreshold: 1 },
      behaviour: (attempt) => {
        begun.push(attempt.number);
        return Promise.reject(transient());
      },
    });
    const result = await w.invoke({ idempotencyKey: 'k' });
    expect(result).toMatchObject({ attempts: 2, error: { code: 'CircuitOpen' }, effect: 'unknown' });
    expect(begun).toEqual([1]);
  });

  test('is begun once, by the first attempt that is admitted (G32)', async () => {
    let begins = 0;
    const w = world({
      tool: { ...idempotent, burst: 2, ratePerSecond: 1, backoffJitter: 0 },
      behaviour: ({ number }) => (number === 1 ? Promise.reject(transient()) : Promise.resolve('done')),
    });
    const begin = async () => void begins++;
    expect(await w.invoke({ idempotencyKey: 'k', begin })).toMatchObject({ status: 'Ok', attempts: 2 });
    expect(begins).toBe(1);
    // The call's first attempt meets an empty bucket.
    expect(await w.invoke({ idempotencyKey: 'k', begin })).toMatchObject({ status: 'Ok', attempts: 2 });
    expect(begins).toBe(2);
  });

  test('does not repeat what the caller, the policy or the credentials forbid (R3-034)', async () => {
    for (const error of [contractError('Bad', 'bad'), authError('No', 'no'), executionError('broken')]) {
      const w = world({ tool: idempotent, behaviour: () => Promise.reject(error) });
      expect(await w.invoke({ idempotencyKey: 'k' })).toMatchObject({ attempts: 1, status: 'Error' });
    }
  });

  test('waits at least as long as a 429 asks, and shuts the provider for everybody meanwhile (R3-035, R3-060)', async () => {
    let first = true;
    const w = world({
      tool: idempotent,
      behaviour: async () => {
        if (first) {
          first = false;
          throw providerThrottledError('local', 3000);
        }
        return 'ok';
      },
    });
    const one = w.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1', idempotencyKey: 'k' });
    await w.runtime.advance(1000);
    const other = await w.invoke({ agentId: 'a2' });
    expect(other.error).toMatchObject({ code: 'RateLimited', details: { scope: 'provider', retryAfterMs: 2000 } });
    expect(await w.runtime.run(one)).toMatchObject({ status: 'Ok', attempts: 2, durationMs: 3000 });
  });

  test('is not tried again after the caller went away (R3-036)', async () => {
    const caller = new AbortController();
    const w = world({
      tool: idempotent,
      behaviour: async () => {
        caller.abort();
        throw transient();
      },
    });
    const result = await w.invoke({ idempotencyKey: 'k', signal: caller.signal });
    expect(result).toMatchObject({ attempts: 1, error: { code: 'Cancelled' }, status: 'Error', effect: 'unknown' });
  });

  test('every attempt passes the limits again and takes a token (R3-038)', async () => {
    const w = world({
      tool: { ...idempotent, ratePerSecond: 0.001, burst: 2, backoffJitter: 0 },
      behaviour: () => Promise.reject(transient()),
    });
    const result = await w.invoke({ idempotencyKey: 'k' });
    expect(result.error?.code).toBe('RateLimited');
    expect(w.calls).toHaveLength(2);
  });
});
