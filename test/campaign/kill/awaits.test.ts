/** Checks that each await that a scene ends a process at is still in its source, once. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as awaits from './awaits.ts';

test.each(Object.entries(awaits))('%s', (_name, { file, words }) => {
  expect(readFileSync(file, 'utf8').split(words)).toHaveLength(2);
});
