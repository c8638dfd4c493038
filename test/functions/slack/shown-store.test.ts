/** Checks that a vote does not wait for the text that its person was shown. */
import { beforeEach, expect, test, vi } from 'vitest';
import { shownStore } from '../../../functions/slack/shown-store.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';

const logged = vi.hoisted(() => [] as string[]);
vi.mock('../../../functions/runtime/telemetry/observe.ts', () => ({
  logFault: (message: string) => void logged.push(message),
}));
beforeEach(() => logged.splice(0));

const TEXT = ['a'.repeat(64), '{"blocks":[]}', 'shown'] as const;

test('an S3 that never answers holds it up for a second, and leaves a line in the log', async () => {
  const clock = new FakeClock();
  const put = shownStore({ put: () => new Promise(() => undefined) }, clock).put(...TEXT);
  const ended = expect(put).rejects.toThrow('in time');
  await clock.advance(1_000);
  await ended;
  expect(logged).toEqual(['what a person was shown could not be stored beside their vote']);
});

test('a refusal of S3 leaves a line, too', async () => {
  const put = async () => Promise.reject(new Error('AccessDenied'));
  await expect(shownStore({ put }).put(...TEXT)).rejects.toThrow('AccessDenied');
  expect(logged).toHaveLength(1);
});

test('a text that was stored leaves none', async () => {
  await shownStore({ put: async () => undefined }).put(...TEXT);
  expect(logged).toEqual([]);
});
