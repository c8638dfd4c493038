/** Checks that the example of the guardrails runs, and that their entry exports its settings. */
import { expect, test, vi } from 'vitest';
import * as entry from '../../../shared/adapters/guardrails/index.ts';
import { guardedRefunds } from '../../examples/guarded-refunds.ts';

test('the example runs: guardrails in memory count a call against its limit', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const refund = guardedRefunds(
    async () => 'paid',
    () => 1_000,
  );
  expect(await refund(7)).toMatchObject({ status: 'Ok', output: 'paid' });
  expect(await refund(8)).toMatchObject({ error: { category: 'PolicyError', code: 'RateLimited' } });
});

test('the entry exports everything that its own settings need', () => {
  expect(Object.keys(entry)).toEqual(expect.arrayContaining(['Guardrails', 'memoryGuardrails', 'dynamoGuardrails']));
});
