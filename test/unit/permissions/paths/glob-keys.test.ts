/** Checks that the index of names leaves out no name that a segment of a glob may be. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GlobKeys } from '../../../../shared/permissions/paths/glob-keys.ts';
import { segmentOf, shapeOf, strengthOf } from '../../../../shared/permissions/paths/glob-strength.ts';
import { segmentTokens } from '../../../../shared/permissions/paths/pattern.ts';
import { literalTokens } from '../../../../shared/permissions/text/glob.ts';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', 'é', '😀'), minLength: 1, maxLength: 5 });
const glob = fc.string({ unit: fc.constantFrom('a', 'b', '.', 'é', '😀', '*', '?'), minLength: 1, maxLength: 5 });

describe('the index of names', () => {
  test('holds whatever a segment says something of', () => {
    fc.assert(
      fc.property(
        fc.array(name),
        fc.array(glob, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (keys, globs, hides) => {
          const segments = globs.map((text) => segmentOf(segmentTokens(text), hides));
          const meeting = new GlobKeys(keys).meeting(segments);
          for (const key of keys) {
            const shape = shapeOf(literalTokens(key));
            const isMet = segments.some((segment) => strengthOf(segment, shape) !== 'none');
            if (isMet) expect(meeting).toContain(key);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('leaves out names with other ends', () => {
    const keys = new GlobKeys(['src', 'docs', '.env', 'area17']);
    const meeting = (text: string) => [...keys.meeting([segmentOf(segmentTokens(text), false)])];
    expect(meeting('src')).toEqual(['src']);
    expect(meeting('*.ts')).toEqual([]);
    expect(meeting('d*')).toEqual(['docs']);
    expect(meeting('.e*v')).toEqual(['.env']);
    expect(meeting('*7')).toEqual(['area17']);
  });
});
