/** Checks that a process outlives a fault in what it makes on first use. */
import { expect, test } from 'vitest';
import { lazy, lazyAsync } from '../../../functions/runtime/lazy.ts';

test('what could not be made is made again, and then held', async () => {
  let tries = 0;
  const client = lazyAsync(async () => {
    tries += 1;
    if (tries === 1) throw new Error('too many open files');
    return { tries };
  });
  await expect(client()).rejects.toThrow('too many open files');
  expect(await Promise.all([client(), client()])).toEqual([{ tries: 2 }, { tries: 2 }]);
  expect(tries).toBe(2);
});

test('what takes no time is made once', () => {
  let made = 0;
  const value = lazy(() => ++made);
  expect([value(), value()]).toEqual([1, 1]);
  // @ts-expect-error a promise that fails would be held
  lazy(async () => 1)();
});
