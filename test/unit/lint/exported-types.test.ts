/** Checks that an exported type which no other file names is found by `npm run lint`. */
import { expect, test } from 'vitest';
import { unusedTypes } from '../../lint/exported-types.ts';

const problemsOf = (files: Readonly<Record<string, string>>, entries: readonly string[] = []): string[] =>
  unusedTypes(new Map(Object.entries(files)), entries);
const A = 'export interface A {}\nexport type B = A;\nexport const c = 1;\n';

test('a type that its own file alone uses is told, whatever is imported beside it', () => {
  expect(problemsOf({ 'x/a.ts': A, 'x/d.ts': "import { c } from './a.ts';\nimport { A } from './e.ts';\n" })).toEqual([
    'x/a.ts: the type A is exported, and no other file names it',
    'x/a.ts: the type B is exported, and no other file names it',
  ]);
});

test.each([
  ['an import', "import { type A, c, type B as D } from '../x/a.ts';\n"],
  ['an import of types on lines of their own', "import type {\n  A,\n  B,\n} from '../x/a.ts';\n"],
  ['another export', "export type { A, B } from '../x/a.ts';\n"],
  ['a type in place', "const a: import('../x/a.ts').A | import('../x/a.ts').B = {};\n"],
])('%s is a use', (_, text) => {
  expect(problemsOf({ 'x/a.ts': A, 'y/b.ts': text })).toEqual([]);
});

test('a file that passes everything on is no user, and those who import from it are', () => {
  const files = { 'a.ts': A, 'all.ts': "export * from './a.ts';\n", 'b.ts': "import type { A } from './all.ts';\n" };
  expect(problemsOf(files)).toEqual(['a.ts: the type B is exported, and no other file names it']);
});

test('an entry of the package is for others, with all that it passes on', () => {
  const files = { 'a.ts': A, 'all.ts': "export * from './a.ts';\n", 'entry.ts': "export * from './all.ts';\n" };
  expect(problemsOf(files, ['entry.ts'])).toEqual([]);
});
