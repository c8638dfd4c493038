/** `npm run lint` refuses look-ups that find what every object inherits. */
import { expect, test } from 'vitest';
import { unsafeLookUps } from '../../lint/records.ts';

const linesOf = (text: string): number[] => unsafeLookUps('a.ts', text).map(({ line }) => line);

test.each([
  'const WORDS: Readonly<Record<string, string>> = {};\nconst a = WORDS[word];',
  'const WORDS: Record<string, string> = {};\nconst a = WORDS?.[word.name];',
  'function f(row: Record<string, unknown>) {\n  return row[name];',
  'interface A { readonly by: Readonly<Record<string, number>> }\nreturn one.by[key];',
  'type A = { by?: Partial<Record<string, number>> };\nby[key] = 1;',
  '\nreturn (value as Record<string, unknown>)[key];',
])('%s', (text) => {
  expect(linesOf(text)).toEqual([2]);
});

test.each([
  "const WORDS: Record<string, string> = {};\nconst a = WORDS['word'];",
  'const WORDS: Record<string, string> = {};\nconst a = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;',
  'const WORDS: Record<Known, string> = {};\nconst a = WORDS[word];',
  'const words: Record<string, string> = Object.create(null);\nconst a = words[word];',
  'const WORDS: Record<string, string> = {};\nconst a = ownValue(WORDS, word);',
  'const WORDS: Record<string, string> = {};\n// WORDS[word] would find more',
  'const list: readonly string[] = [];\nconst a = list[index];',
])('not in %s', (text) => {
  expect(linesOf(text)).toEqual([]);
});
