/** Checks which hosts a text names, and that the length of a word does not hold up whoever asks (G10). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostsIn } from '../../../../shared/use-cases/kernel/calls/question/hosts-in.ts';

/** The same by one expression, which is slow. */
const plain = (word: string): string[] => {
  const start = word.search(/[a-z][a-z0-9+.-]*:\/\//i);
  const host = start < 0 ? undefined : URL.parse(word.slice(start))?.host;
  return host ? [host] : [];
};

test('for all words: the URL begins where a scheme first does', () => {
  const part = fc.constantFrom('http', 'H', '9', '+', '.', '-', '_', ':', '/', '://', 'x.example', 'é', '@');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const word = parts.join('');
      expect(hostsIn(word)).toEqual(plain(word));
    }),
  );
});

test('a word of two million letters is read at once', () => {
  expect(hostsIn(`${'x'.repeat(2_000_000)} https://good.example/`)).toEqual(['good.example']);
  expect(hostsIn('9://'.repeat(500_000))).toEqual([]);
});
