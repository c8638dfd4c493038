/** Tests that `npm run lint` refuses mutants that do not fit into their sources. */
import { expect, test } from 'vitest';
import { mutantProblems, undeclaredNames } from '../../lint/mutants.ts';

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

test('finds a mutant whose source is gone', () => {
  expect(mutantProblems([MUTANT], new Map())).toHaveLength(1);
});

test('a name that its source does not have', () => {
  const texts = new Map([
    ['shared/a.ts', 'export const add = (count: (vote: string) => void, vote: string) => count(vote);'],
  ]);
  const mutant = (put: string) => ({ ...MUTANT, find: 'count(vote)', put });
  expect(undeclaredNames([mutant('count(String(vote))'), mutant('count(voice)')], texts)).toEqual([
    'shared/a.ts: the mutant "a lost vote": The voice variable is undeclared.',
  ]);
});
