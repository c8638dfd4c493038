/** Checks delays and the retry loop against plain references. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { providerThrottledError } from '../../../../shared/guardrails/limits/limit-errors.ts';
import { executionError, GuardrailError } from '../../../../shared/guardrails/settings/errors.ts';
import { BUILT_IN } from '../../../../shared/guardrails/settings/settings.ts';
import { backoffDelay } from '../../../../shared/guardrails/time/backoff.ts';
import { allowedRetries, withRetries } from '../../../../shared/guardrails/time/retry.ts';
import { withDeadline } from '../../../../shared/guardrails/time/timeout.ts';
import { FakeRuntime } from '../fake-runtime.ts';

const settings = fc.record({
  backoffBaseMs: fc.integer({ min: 1, max: 1000 }),
  backoffMultiplier: fc.integer({ min: 1, max: 4 }),
  backoffJitter: fc.double({ min: 0, max: 1, noNaN: true }),
  maxDelayMs: fc.integer({ min: 1, max: 10_000 }),
});
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a delay stays within its jitter around the capped exponential, and never below a hint', () => {
  fc.assert(
    fc.property(settings, fc.integer({ min: 1, max: 30 }), chance, fc.nat(20_000), (one, retry, random, hint) => {
      const plain = Math.min(one.backoffBaseMs * one.backoffMultiplier ** (retry - 1), one.maxDelayMs);
      const delay = backoffDelay(one, retry, () => random, hint);
      const margin = 1e-6 * plain;
      expect(delay).toBeGreaterThanOrEqual(Math.max(hint, plain * (1 - one.backoffJitter) - margin));
      expect(delay).toBeLessThanOrEqual(Math.max(hint, plain * (1 + one.backoffJitter) + margin));
    }),
  );
});

test('only an idempotent write with a key is repeated at all', () => {
  expect(allowedRetries('IdempotentWrite', 'k', 3)).toBe(3);
  for (const effect of ['Pure', 'NonIdempotentWrite', 'ExternalSideEffects'] as const)
    expect(allowedRetries(effect, 'k', 3)).toBe(0);
  for (const key of ['', '   ', undefined, null]) expect(allowedRetries('IdempotentWrite', key, 3)).toBe(0);
});

test.each(['ContractError', 'AuthError', 'SystemError', 'PolicyError'] as const)(
  'R3-034 a %s ends the loop, also one that calls itself retryable',
  async (category) => {
    const runtime = new FakeRuntime();
    const error = new GuardrailError(category, 'BudgetExceeded', 'no', { isRetryable: true });
    const plan = { ...BUILT_IN, maxRetries: 3 };
    const result = await runtime.run(withRetries(plan, async () => ({ ok: false, error }), runtime));
    expect(result).toMatchObject({ ok: false, attempts: 1, error: { isRetryable: false } });
  },
);

test('the loop makes the attempts that the plain count allows, within the time it may take', () =>
  fc.assert(
    fc.asyncProperty(
      settings,
      fc.nat(6),
      fc.integer({ min: 1, max: 5000 }),
      fc.array(fc.constantFrom('ok', 'transient', 'throttled', 'broken'), { minLength: 1, maxLength: 10 }),
      async (one, maxRetries, maxRetryTotalMs, outcomes) => {
        const runtime = new FakeRuntime();
        const startedAt = runtime.now();
        const attemptsAt: number[] = [];
        const plan = { ...one, maxRetries, maxRetryTotalMs };
        const result = await runtime.run(
          withRetries(
            plan,
            async (number) => {
              attemptsAt.push(runtime.now() - startedAt);
              const outcome = outcomes[number - 1] ?? outcomes.at(-1);
              if (outcome === 'ok') return { ok: true, value: number };
              if (outcome === 'transient') return { ok: false, error: executionError('t', { transient: true }) };
              if (outcome === 'throttled') return { ok: false, error: providerThrottledError('p', 300) };
              return { ok: false, error: executionError('broken') };
            },
            runtime,
          ),
        );
        expect(result.attempts).toBe(attemptsAt.length);
        expect(result.attempts).toBeLessThanOrEqual(1 + maxRetries);
        for (const at of attemptsAt) expect(at).toBeLessThanOrEqual(maxRetryTotalMs);
        const seen = attemptsAt.map((_, index) => outcomes[index] ?? outcomes.at(-1));
        // Only the last attempt may have ended for good.
        expect(seen.slice(0, -1).every((outcome) => outcome === 'transient' || outcome === 'throttled')).toBe(true);
        expect(result.ok).toBe(seen.at(-1) === 'ok');
        if (!result.ok && result.error.isRetryable) expect(result.attempts).toBeLessThanOrEqual(maxRetries);
        if (!result.ok && !result.error.isRetryable && seen.at(-1) !== 'broken')
          expect(result.attempts).toBe(1 + maxRetries);
      },
    ),
  ));

test('a deadline ends whatever does not end by itself, exactly then', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1000 }),
      fc.nat(2000),
      fc.boolean(),
      async (deadlineMs, takesMs, fails) => {
        const runtime = new FakeRuntime();
        const startedAt = runtime.now();
        const work = async () => {
          await runtime.sleep(takesMs);
          if (fails) throw new Error('late or not');
          return 'value';
        };
        const result = await runtime.run(withDeadline(work, deadlineMs, runtime));
        const inTime = takesMs < deadlineMs;
        expect(result.type).toBe(inTime ? (fails ? 'threw' : 'done') : 'timeout');
        expect(runtime.now() - startedAt).toBe(Math.min(takesMs, deadlineMs));
      },
    ),
  ));
