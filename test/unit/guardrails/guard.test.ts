/** Checks tools behind guardrails that are put together from options. */
import { expect, test } from 'vitest';
import {
  executionError,
  type GuardedTool,
  guardrails,
  isGuardrailError,
  memoryGuardrails,
} from '../../../shared/adapters/guardrails/index.ts';

const config = {
  environment: 'production',
  environments: { production: {} },
  tools: { Refund: { ratePerSecond: 1, burst: 1 } },
};
const refund: GuardedTool = {
  name: 'Refund',
  origin: 'local',
  execute: async ({ input }) => `paid ${JSON.stringify(input)}`,
};
const options = { agent: 'billing' };
const make = (tool = refund) => guardrails({ config, tools: [tool], parts: memoryGuardrails(() => 1_000) });

test('a call returns the output of its tool, and throws the limit that refused it', async () => {
  const guard = make();
  expect(await guard.call<string>('Refund', { order: 7 }, options)).toBe('paid {"order":7}');
  const refused = await guard.call('Refund', { order: 8 }, options).catch((error: unknown) => error);
  if (!isGuardrailError(refused, 'RateLimited')) throw new Error('is no rate limit');
  expect(refused.details.throttlingScope).toContain('Refund');
  expect(refused.retryAfterMs).toBe(1_000);
  expect(isGuardrailError(refused, 'Timeout')).toBe(false);
  expect(String(refused)).toMatch(/^GuardrailError: /);
});

test('a call of a tool that fails throws without the words of the tool, which may hold a secret', async () => {
  const failing = make({ ...refund, execute: () => Promise.reject(new Error('password=hunter2')) });
  const failed = failing.call('Refund', {}, options);
  await expect(failed).rejects.toMatchObject({ category: 'ExecutionError', effect: 'unknown' });
  await expect(failed).rejects.not.toThrow('hunter2');
  const stated = make({
    ...refund,
    execute: () => Promise.reject(executionError('no such order', { code: 'NotFound' })),
  });
  await expect(stated.call('Refund', {}, options)).rejects.toMatchObject({ code: 'NotFound', effect: 'failed' });
});

test('whoever wrote the tool reads its own error as the cause, and a result has none', async () => {
  const own = new TypeError('order is undefined');
  const failing = make({ ...refund, execute: () => Promise.reject(own) });
  const failed: unknown = await failing.call('Refund', {}, options).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'ToolFailed', cause: own });
  expect(
    JSON.stringify(await make({ ...refund, execute: () => Promise.reject('hunter2') }).invoke('Refund', {}, options)),
  ).not.toContain('hunter2');
});

test('an error of another copy of the package is one of a tool, and frees what the call holds', async () => {
  const { details, category, effect } = executionError('no such order');
  const { isRetryable, code } = { isRetryable: false, code: 'NotFound' };
  const foreign = Object.assign(new Error('no such order'), { category, code, details, isRetryable, effect });
  Object.defineProperty(foreign, Symbol.for('countersign.error'), { value: true });
  const guard = make({ ...refund, execute: () => Promise.reject(foreign) });
  await expect(guard.call('Refund', {}, options)).rejects.toMatchObject({ code: 'NotFound', effect: 'failed' });
  expect(guard.gauges('Refund', 'billing')).toMatchObject({ concurrencyInUse: 0 });
});

test.each([
  ['10s', 20],
  ['20ms', 10_000],
] as const)('of a time-out of %s and a limit of %i ms the shorter one holds', async (timeout, timeoutMs) => {
  const endless = { ...refund, execute: () => new Promise<never>(() => {}) };
  const guard = guardrails({ config, tools: [endless] });
  const call = guard.call('Refund', {}, { ...options, timeout, limits: { timeoutMs } });
  await expect(call).rejects.toMatchObject({ code: 'Timeout', details: { deadlineMs: 20 } });
});

test('a tool that is not there, a setting that is wrong and a time-out that is none are named', async () => {
  await expect(make().call('Pay', {}, options)).rejects.toMatchObject({ category: 'ContractError' });
  await expect(make().call('Refund', {}, { ...options, timeout: Number.NaN })).rejects.toMatchObject({
    setting: 'timeout',
  });
  expect(() => guardrails({ config: { ...config, environment: 'staging' }, tools: [] })).toThrow('environment');
});

test('two tools of one name are refused: the later one would get the calls of the other', () => {
  const tools: readonly GuardedTool[] = [refund, { ...refund, origin: 'mcp::shop' }];
  expect(() => guardrails({ config, tools })).toThrow('tools: two are called Refund');
});

test('explains where each setting comes from', () => {
  expect(make().explain('Refund', 'billing')).toContainEqual(
    expect.objectContaining({ setting: 'ratePerSecond', value: 1 }),
  );
  expect(make().explain('Pay', 'billing')).toEqual([]);
});

test('figures and gauges are those of the tools of this guard', async () => {
  const config = { environment: 'test', environments: { test: { ratePerSecond: 1, burst: 2 } } };
  const guard = guardrails({ config, tools: [{ name: 'Ping', origin: 'local', execute: async () => 'pong' }] });
  await guard.call('Ping', {}, { agent: 'a1' });
  expect(guard.metrics()).toMatchObject([{ tool: 'Ping', invocations: 1, errors: 0 }]);
  expect(guard.gauges('Ping', 'a1')).toMatchObject({ concurrencyInUse: 0, circuitState: 0 });
  expect(guard.gauges('Pong', 'a1')).toBeUndefined();
});
