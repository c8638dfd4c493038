/** Checks that the message about a wrapper says why no rule for the command within is enough. */
import { expect, test } from 'vitest';
import { judge } from '../support.ts';

test.each([
  ['env -u CI npm test', 'No rule covers env, which takes variables away that programs may read.'],
  ['env -i npm test', 'No rule covers env, which takes variables away that programs may read.'],
  ['env FOO=1 npm test', 'No rule covers env, which sets the variable FOO.'],
  ['env', 'No rule covers env, which prints the environment.'],
  ['env --foo npm test', 'No rule covers env, which has words that are not plain enough to see what it runs.'],
  ['timeout -x 5 npm test', 'No rule covers timeout, which has words that are not plain enough to see what it runs.'],
])('%s', (command, message) => {
  const found = judge('Bash', { command }, [['allow', 'Bash(npm test:*)']]);
  expect(found.verdict).toBe('ask');
  expect(found.message).toContain(message);
});
