/** Checks that rows of the memory stores are parsed once, and nobody can change what a reader got. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { readCopy, sharedOf, toCopy } from '../../../../shared/adapters/memory/stores/json-copy.ts';

const schema = z.object({ name: z.string(), votes: z.array(z.object({ by: z.string() })) });

test('two readers of a row have one value, which neither can change', () => {
  const row = toCopy({ name: 'p1', votes: [{ by: 'alice' }] });
  const read = readCopy(row, schema);
  expect(readCopy(row, schema)).toBe(read);
  expect(() => read.votes.push({ by: 'bob' })).toThrow(TypeError);
  expect(() => Object.assign(read.votes[0] ?? {}, { by: 'bob' })).toThrow(TypeError);
  expect(read).toEqual({ name: 'p1', votes: [{ by: 'alice' }] });
});

test('a row that no schema reads is one value for all its readers as well, and stays as it was written', () => {
  const given = { version: 1, pids: ['p1'], list: undefined };
  const row = toCopy(given);
  given.pids.push('p2');
  const read = sharedOf(row) as typeof given;
  expect(read).toStrictEqual({ version: 1, pids: ['p1'] });
  expect(sharedOf(row)).toBe(read);
  expect(() => read.pids.push('p3')).toThrow(TypeError);
});

test('another schema reads the same row by its own rules, and a row that does not fit is refused each time', () => {
  const row = toCopy({ name: 'p1', votes: [] });
  expect(readCopy(row, z.object({ name: z.string() }))).toEqual({ name: 'p1' });
  const other = z.object({ name: z.number() });
  expect(() => readCopy(row, other)).toThrow(z.ZodError);
  expect(() => readCopy(row, other)).toThrow(z.ZodError);
});
