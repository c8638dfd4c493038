/** Tests that `npm run lint` refuses long files without a reason, and reasons without a long file. */
import { expect, test } from 'vitest';
import { lengthProblems } from '../../lint/length.ts';

const file = (lines: number): string => 'x;\n'.repeat(lines);

test.each([
  ['a file of 150 lines', { 'shared/a.ts': 150 }, {}],
  ['a longer file with a reason', { 'functions/a.ts': 400 }, { 'functions/a.ts': 'one table' }],
  ['an adapter of 80 lines', { 'shared/client/integrations/a.ts': 80 }, {}],
  ['a test of 400 lines', { 'test/unit/a.test.ts': 400 }, {}],
])('%s is not too long', (_, lengths, exceptions) => {
  expect(lengthProblems(filesOf(lengths), exceptions)).toEqual([]);
});

test.each([
  ['a file of the product over 150 lines', { 'cdk/a.ts': 151 }, {}, /split it/],
  ['an adapter over 80 lines', { 'shared/client/integrations/a.ts': 81 }, {}, /an adapter has at most 80/],
  ['any file over 400 lines, whatever its reason', { 'shared/a.ts': 401 }, { 'shared/a.ts': 'one table' }, /none has/],
  ['a test over 400 lines', { 'test/unit/a.test.ts': 401 }, {}, /none has/],
  ['a reason for a short file', { 'shared/a.ts': 150 }, { 'shared/a.ts': 'one table' }, /take it off/],
  ['a reason for a file that is gone', {}, { 'shared/a.ts': 'one table' }, /is not there/],
])('%s is a problem', (_, lengths, exceptions, problem) => {
  const problems = lengthProblems(filesOf(lengths), exceptions);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});

function filesOf(lengths: Readonly<Record<string, number>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(lengths).map(([name, lines]) => [name, file(lines)]));
}
