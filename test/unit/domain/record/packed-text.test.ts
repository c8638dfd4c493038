/** Checks that a text of the record is packed without a loss, and that other bytes are refused. */
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packedText, unpackedText } from '../../../../shared/domain/record/packed-text.ts';

test('any text is read back as it was packed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), (text) => {
      expect(unpackedText(packedText(text))).toBe(text);
    }),
  );
});

test('bytes that hold no text are refused', () => {
  expect(() => unpackedText(Buffer.from('{"blocks":[]}'))).toThrow();
});

test('a thousand bytes hold no text that is refused, and bytes that hold more are not unpacked', () => {
  const longest = 'a'.repeat(1_000_000);
  expect(packedText(longest).byteLength).toBeLessThan(1_000);
  expect(unpackedText(packedText(longest))).toBe(longest);
  expect(() => unpackedText(deflateRawSync(Buffer.alloc(2_000_000, 'a')))).toThrow('larger than');
});
