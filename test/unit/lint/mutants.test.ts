/** Tests that `npm run lint` refuses mutants whose text does not stand once in its source. */
import { expect, test } from 'vitest';
import { mutantProblems } from '../../lint/mutants.ts';

const MUTANT = { name: 'a lost vote', file: 'shared/a.ts', find: 'count(vote);', put: '' };
const TWICE = { ...MUTANT, also: [{ find: 'return votes;', put: 'return [];' }] };

test.each([
  ['once', MUTANT, 'count(vote);', []],
  ['not at all', MUTANT, 'add(vote);', ['shared/a.ts: the mutant "a lost vote" finds its text 0 times: count(vote);']],
  ['twice', MUTANT, 'count(vote); count(vote);', [expect.stringContaining('2 times')]],
  ['once, its second text too', TWICE, 'count(vote); return votes;', []],
  ['once, its second text nowhere', TWICE, 'count(vote);', [expect.stringContaining('0 times: return votes;')]],
])('a text that stands there %s', (_, mutant, source, problems) => {
  expect(mutantProblems([mutant], new Map([['shared/a.ts', source]]))).toEqual(problems);
});

test('a source that is gone', () => {
  expect(mutantProblems([MUTANT], new Map())).toHaveLength(1);
});
