/**
 * Checks the figures and log lines of models and hooks.
 *
 * An outage of one is seen, with its kind and the proposal that it met.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { kindOf, measured, readKey } from '../../../functions/runtime/telemetry/dependencies.ts';
import { aboutMessage, addIds } from '../../../functions/runtime/telemetry/message-in-work.ts';
import { HookError } from '../../../shared/adapters/hooks/http.ts';
import { ApiError, NetworkError, ParseError } from '../../../shared/ports/llm-client.ts';
import { logged } from '../support/logged.ts';

const MODEL = {
  kind: 'model',
  model: 'anthropic/judge-1',
  use: 'classifier',
  cost: ({ inputTokens }: { readonly inputTokens: number }) => inputTokens * 3,
} as const;
const usable = () => ({ isUsable: true });
const sumOf = (lines: readonly Record<string, unknown>[], name: string) =>
  lines.reduce((sum, line) => sum + Number(line[name] ?? 0), 0);

/** AWS answers so instead of invoking the function of a hook. */
const refused = (httpStatusCode: number) => Object.assign(new Error('x'), { $metadata: { httpStatusCode } });

afterEach(() => vi.useRealTimers());

test('an answer has its latency, tokens and cost under the names of the policy file, and no line of its own', async () => {
  const usage = { inputTokens: 10, outputTokens: 2 };
  const lines = await logged(() =>
    measured(
      MODEL,
      1_000,
      async () => 'text',
      () => ({ usage, isUsable: true }),
    ),
  );
  expect(lines.find(({ ModelCalls }) => ModelCalls)).toMatchObject({ model: 'anthropic/judge-1', use: 'classifier' });
  expect(lines.find(({ ModelInputTokens }) => ModelInputTokens)).toMatchObject({
    ...{ ModelInputTokens: 10, ModelOutputTokens: 2, ModelCostMicroUsd: 30 },
  });
  expect(sumOf(lines, 'ModelErrors')).toBe(0);
  expect(lines.filter(({ level }) => level === 'WARN')).toEqual([]);
});

test('a failed call is counted by its kind, and one line names the proposal and no text of the answer', async () => {
  const call = () => measured(MODEL, 1_000, () => Promise.reject(new ApiError(529, 'canary')), usable);
  const lines = await logged(() =>
    aboutMessage({ messageId: 'm1' }, async () => {
      addIds({ pid: 'a'.repeat(64), agent: 'coder' });
      await expect(call()).rejects.toThrow(ApiError);
    }),
  );
  expect(lines.find(({ ModelErrors }) => ModelErrors)).toMatchObject({ code: 'http_5xx' });
  expect(lines.filter(({ level }) => level === 'WARN')).toMatchObject([
    { dependency: 'anthropic/judge-1', kind: 'http_5xx', pid: 'a'.repeat(64), messageId: 'm1', agent: 'coder' },
  ]);
  expect(JSON.stringify(lines)).not.toContain('canary');
});

test('a call that nobody waits for any more is counted as a timeout when its time is over, and once', async () => {
  vi.useFakeTimers();
  const answer = Promise.withResolvers<string>();
  const lines = await logged(async () => {
    const call = measured({ kind: 'hook', hook: 'review' }, 1_000, () => answer.promise, usable);
    await vi.advanceTimersByTimeAsync(1_000);
    answer.resolve('late');
    await call;
  });
  expect(lines.find(({ HookErrors }) => HookErrors)).toMatchObject({ hook: 'review', code: 'timeout' });
  expect(sumOf(lines, 'HookCalls')).toBe(1);
});

test.each<[unknown, string]>([
  [new NetworkError('x'), 'network'],
  [new TypeError('fetch failed'), 'network'],
  [new ParseError('x'), 'garbled'],
  [new ApiError(429, 'x'), 'http_429'],
  [new ApiError(401, 'x'), 'http_4xx'],
  [new HookError('hook_status', 'x', 503), 'http_5xx'],
  [new HookError('hook_failed', 'x'), 'failed'],
  [new HookError('hook_secret', 'x'), 'no_secret'],
  [refused(404), 'http_4xx'],
  [refused(429), 'http_429'],
  [refused(500), 'http_5xx'],
  [new Error('x'), 'other'],
])('%s is of the kind %s', (error, kind) => {
  expect(kindOf(error)).toBe(kind);
});

test('a key that cannot be read is a kind of its own', async () => {
  const missing = new Error('missing');
  await expect(readKey(() => Promise.reject(missing))).rejects.toBe(missing);
  expect(kindOf(missing)).toBe('no_secret');
});
