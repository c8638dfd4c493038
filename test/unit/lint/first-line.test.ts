/** Tests that `npm run lint` refuses a first line that is no comment, is long, or breaks off. */
import { expect, test } from 'vitest';
import { firstLineProblem } from '../../lint/first-line.ts';

const words = (length: number): string => `Reads ${'x'.repeat(length - 7)}.`;

test.each([
  ['a comment of one line', '/** Reads a row. */\nf();'],
  ['a comment of several lines', '/**\n * Reads a row.\n *\n * The rest.\n */\nf();'],
  ['lines of //', '// Reads a row.\n//\n// The rest.\nf();'],
  ['a docstring', '"""Reads a row."""\nf()'],
  ['a docstring of several lines', '"""Reads a row.\n\nThe rest.\n"""\nf()'],
  ['a program, behind its #!', '#!/usr/bin/env node\n/** Reads a row. */\nf();'],
  ['99 characters', `/** ${words(99)} */\nf();`],
  ['an introduction of a list', '/** Reads rows: */\nf();'],
  ['an empty file', ''],
])('%s is enough', (_, text) => {
  expect(firstLineProblem(text)).toBeUndefined();
});

test.each([
  ['code before the comment', "import 'a';\n/** Reads a row. */", /no comment/],
  ['a program without a comment', '#!/usr/bin/env node\nf();', /no comment/],
  ['an empty line', '\n/** Reads a row. */', /no comment/],
  ['100 characters', `/** ${words(100)} */`, /has 100 characters/],
  ['100 characters below the opening', `/**\n * ${words(100)}\n */`, /has 100 characters/],
  ['100 characters of a docstring', `"""${words(100)}"""`, /has 100 characters/],
  ['100 characters of //', `// ${words(100)}`, /has 100 characters/],
  ['a sentence that goes on', '/**\n * Reads a row of\n * a table.\n */', /ends within a sentence/],
  ['a comment without words', '/** */\nf();', /ends within a sentence/],
])('%s is a problem', (_, text, problem) => {
  expect(firstLineProblem(text)).toMatch(problem);
});

test.each([
  'The rows of a table.',
  'Rows of a table.',
  'Rows: what a table holds.',
  'Rows, keys and items.',
  'Virtual time for simulations.',
  'Task tokens: each is issued once.',
  'From rows to items.',
])('%s names a thing', (sentence) => {
  expect(firstLineProblem(`/** ${sentence} */`)).toMatch(/begin with a verb/);
});

test.each([
  'Reads the rows of a table.',
  'Has a function write its log.',
  'Tells of users as the Web API does.',
  '`npm run lint`: refuses long files.',
])('%s begins with a verb', (sentence) => {
  expect(firstLineProblem(`/** ${sentence} */`)).toBeUndefined();
});
