/** Ends tests that lack a right. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { withinLimit } from '../../e2e/rights/limited.ts';

const limited = (limitMs: number) => ({ limitMs, ms: 0, end: vi.fn() });

test('a test that ends in time ends as it does, and nothing is ended for it', async () => {
  const now = limited(5_000);
  await withinLimit(() => delay(1), now);
  await expect(withinLimit(() => Promise.reject(new Error('refused')), now)).rejects.toThrow('refused');
  expect(now.end).not.toHaveBeenCalled();
});

test('a test that takes longer fails, and its waits are ended', async () => {
  const control = new AbortController();
  const now = { ...limited(10), end: vi.fn((reason: Error) => control.abort(reason)) };
  const body = () => delay(60_000, undefined, { signal: control.signal });
  await expect(withinLimit(body, now)).rejects.toThrow('did not pass within 10 ms');
  expect(now.end).toHaveBeenCalledOnce();
});
