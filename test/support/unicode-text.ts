/**
 * Draws texts of any characters, for properties.
 *
 * Texts of fast-check's unit `binary` are the same, but it first makes a table of all 1.1 million characters: 1.1 s of each process.
 */
import fc from 'fast-check';

/** No halves of surrogate pairs, which are no characters. */
const HALVES = { from: 0xd800, count: 0x800 };

const character = fc.integer({ min: 0, max: 0x10_ffff - HALVES.count }).map(
  (place) => String.fromCodePoint(place < HALVES.from ? place : place + HALVES.count),
  (text) => {
    const [only = '', ...more] = typeof text === 'string' ? text : '';
    const point = only.codePointAt(0);
    if (point === undefined || more.length || /\p{Cs}/u.test(only)) throw new Error('no character');
    return point < HALVES.from ? point : point - HALVES.count;
  },
);

export const unicodeText = (bounds: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...bounds, unit: character });
