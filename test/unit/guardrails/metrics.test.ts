/** Checks percentiles, error rates, and the gauges of a running process. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentile } from '../../../shared/guardrails/metrics.ts';
import { executionError } from '../../../shared/guardrails/settings/errors.ts';
import { world } from './harness.ts';

test('a percentile is the smallest value that so many per cent do not exceed (nearest rank)', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 1 }), fc.integer({ min: 1, max: 100 }), (values, p) => {
      const candidates = values.toSorted((a, b) => a - b);
      const plain = candidates.find(
        (value) => values.filter((other) => other <= value).length >= (p / 100) * values.length,
      );
      expect(percentile(values, p)).toBe(plain);
    }),
  );
  expect(percentile([], 50)).toBeUndefined();
});

test('gauges show the bucket, the slots and the circuit (R3-096)', async () => {
  const call = { toolName: 't', origin: 'local', agentId: 'a1' };
  const w = world({
    environment: { ratePerSecond: 1, burst: 4, maxConcurrent: 2, failureThreshold: 2 },
    behaviour: async (_attempt, runtime) => {
      await runtime.sleep(10);
      throw executionError('down');
    },
  });
  expect(w.guardrails.gauges(call)).toEqual({
    rateLimiterSaturation: 0,
    concurrencyInUse: 0,
    concurrencySaturation: 0,
    circuitState: 0,
  });
  const running = w.guardrails.invoke({ ...call, input: {} });
  await w.runtime.advance(5);
  expect(w.guardrails.gauges(call)).toMatchObject({
    rateLimiterSaturation: 0.25,
    concurrencyInUse: 1,
    concurrencySaturation: 0.5,
  });
  await w.runtime.run(running);
  await w.invoke();
  expect(w.guardrails.gauges(call)).toMatchObject({ concurrencyInUse: 0, circuitState: 2 });
});
