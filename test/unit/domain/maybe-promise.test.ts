/** Checks that answers that are there at once and answers that come later are worked on alike. */
import { expect, test } from 'vitest';
import { andThen, eachInTurn, isPromise, type MaybePromise, orElse } from '../../../shared/domain/maybe-promise.ts';

const atOnce = <T>(value: T): MaybePromise<T> => value;
const later = async <T>(value: T): Promise<T> => value;

test('what is there at once is gone on with at once', async () => {
  expect(andThen(atOnce(1), (n) => n + 1)).toBe(2);
  expect(await andThen(later(1), (n) => n + 1)).toBe(2);
  expect(isPromise(andThen(atOnce(1), later))).toBe(true);
});

test('an error goes to its instead, thrown or rejected', async () => {
  const thrown = () => {
    throw new Error('thrown');
  };
  const rejected = () => Promise.reject(new Error('rejected'));
  const word = (error: unknown) => (error as Error).message;
  expect(orElse(() => atOnce('fine'), word)).toBe('fine');
  expect(orElse(thrown, word)).toBe('thrown');
  expect(await orElse(() => later('fine'), word)).toBe('fine');
  expect(await orElse(rejected, word)).toBe('rejected');
});

test.each([
  ['at once', atOnce],
  ['later', later],
  ['in turns', (n: number) => (n % 2 ? atOnce(n) : later(n))],
] as const)('items are worked on one after the other, %s', async (_name, answer) => {
  const seen: string[] = [];
  await eachInTurn([1, 2, 3, 4], (n) => {
    seen.push(`begins ${n}`);
    return andThen(answer(n), () => void seen.push(`ends ${n}`));
  });
  expect(seen).toEqual([1, 2, 3, 4].flatMap((n) => [`begins ${n}`, `ends ${n}`]));
});

test('an item that fails ends the row', async () => {
  const seen: number[] = [];
  const work = async (n: number) => {
    seen.push(n);
    if (n === 2) throw new Error('two');
  };
  await expect(eachInTurn([1, 2, 3], work)).rejects.toThrow('two');
  expect(seen).toEqual([1, 2]);
});
