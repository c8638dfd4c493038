/** Checks that each refusal of a limit says what happened, which setting did it, and what to do next. */
import { expect, test } from 'vitest';
import { concurrencyLimitedError, timeoutError } from '../../../../shared/guardrails/limits/limit-errors.ts';
import { executionError } from '../../../../shared/guardrails/settings/errors.ts';
import { type WorldOptions, world } from '../harness.ts';

const fails = async () => {
  throw executionError('no');
};

const REFUSALS: [name: string, options: WorldOptions, message: RegExp][] = [
  [
    'a rate',
    { environment: { ratePerSecond: 1, burst: 1 } },
    /^Too many calls of local::t \(ratePerSecond 1, burst 1\)\. Nothing was run\. Try again in \d+ ms\.$/,
  ],
  [
    'a circuit',
    { environment: { failureThreshold: 1, resetAfterMs: 5_000 }, behaviour: fails },
    /^The tool is failing and is left alone \(failureThreshold 1, resetAfterMs 5000\)\. Nothing was run\. Try again in \d+ ms\.$/,
  ],
  [
    'a budget',
    { environment: { costPerCall: 3, budget: { costPerDay: 5 } } },
    /^Budget \S+ has no room for this call \(costPerDay 5\)\. Nothing was run\. Try again in \d+ ms\.$/,
  ],
];

test.each(REFUSALS)('%s names its setting, and the time to come back', async (_, options, message) => {
  const w = world(options);
  await w.invoke();
  expect((await w.invoke()).error?.message).toMatch(message);
});

test('calls at a time name how many may run, and how many may wait', async () => {
  const w = world({ environment: { maxConcurrent: 1, maxQueue: 1 }, behaviour: () => new Promise(() => undefined) });
  const calls = [1, 2, 3].map(() => w.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1' }));
  const refused = await w.runtime.run(Promise.race(calls));
  expect(refused.error?.message).toMatch(
    /^Too many calls of local::t are running \(maxConcurrent 1, maxQueue 1\)\. Nothing was run\. Try again in \d+ ms\.$/,
  );
  await w.runtime.run(Promise.all(calls));
});

test('a time that is over says whether the tool may have taken effect', () => {
  expect(timeoutError(9, 9, 'unknown').message).toMatch(
    /^No result within 9 ms \(timeoutMs.*look before you try again/,
  );
  expect(timeoutError(9, 9, 'not-started').message).toContain('Nothing was run. Try again later.');
});

test.each([
  ['may have taken effect', async () => new Promise(() => undefined), 'An earlier try may have taken effect.'],
  [
    'failed',
    () => Promise.reject(executionError('no', { transient: true, effect: 'failed' })),
    'It was not tried again.',
  ],
])(
  'a limit that refuses another try does not say that nothing was run: one before it %s',
  async (_, behaviour, says) => {
    const environment = { timeoutMs: 100, failureThreshold: 1, resetAfterMs: 60_000 };
    const w = world({ environment, tool: { effect: 'IdempotentWrite', maxRetries: 1 }, behaviour });
    const { error } = await w.invoke({ idempotencyKey: 'k' });
    expect(error).toMatchObject({ code: 'CircuitOpen', message: expect.stringContaining(`${says} Try again in`) });
  },
);

test('a refusal without a hint says so', () => {
  expect(concurrencyLimitedError('x').message).toBe(
    'Too many calls of x are running. Nothing was run. Try again later.',
  );
});
