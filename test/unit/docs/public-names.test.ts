/** Checks that every public name is explained where it is declared, in words that can be looked up. */
import { expect, test } from 'vitest';
import { commentsOf, publicNames } from './public-names.ts';

const names = publicNames();
const shown = (found: readonly (typeof names)[number][]) =>
  found.map(({ entry, name, file }) => `${entry}: ${name} (${file})`);

test('every exported name has a comment', () => {
  expect(names.length).toBeGreaterThan(200);
  expect(shown(names.filter((one) => commentsOf(one).length === 0))).toEqual([]);
});

test('no comment of an exported name cites an id that its reader cannot look up', () => {
  const cites = /\b(?:R\d-\d{3}|[DAG]\d{1,3}|T-\d{3}|rules\.md)\b/;
  expect(shown(names.filter((one) => commentsOf(one).some((comment) => cites.test(comment))))).toEqual([]);
});

test('at least sixty functions and classes show a program of theirs', () => {
  const values = names.filter(({ isType }) => !isType);
  const shownBy = values.filter((one) => commentsOf(one).some((comment) => comment.includes('@example')));
  expect(new Set(shownBy.map(({ file, name }) => `${file} ${name}`)).size).toBeGreaterThanOrEqual(60);
});
