/** Checks the bounds that are read without a schema, beside the schemas. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isIdentifier } from '../../../shared/contract/bounds.ts';
import { identifier } from '../../../shared/contract/primitives.ts';

const near = fc.string({ unit: fc.constantFrom(...'aZ09._:-/ \né\u{1F600}'), maxLength: 6 });
const long = fc.integer({ min: 126, max: 130 }).map((length) => 'a'.repeat(length));

test('a text is an identifier exactly if the schema takes it', () => {
  fc.assert(
    fc.property(fc.oneof(near, long, fc.string(), fc.anything()), fc.constantFrom(63, 128), (value, max) => {
      expect(isIdentifier(value, max)).toBe(identifier.max(max).safeParse(value).success);
    }),
    { numRuns: 2_000 },
  );
});
