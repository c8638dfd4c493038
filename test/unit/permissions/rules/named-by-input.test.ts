/** Checks that a deny rule on a path hears a command that is given names through a pipe (G8, D40). */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

const DENIED: readonly Rule[] = [['deny', 'Edit(infra/**)']];

describe('names of denied files go into a program that writes', () => {
  test.each([
    'find infra | xargs rm',
    'find infra -print0 | xargs -0 sed -i s/a/b/',
    'find infra -type f | sort | xargs rm',
    'find infra | grep a | xargs rm',
    'find infra | xargs grep -l x | xargs rm',
    'find infra | xargs -I{} mv {} src',
    'find infra | xargs sudo rm',
    'ls infra/* | xargs rm',
    'fd . infra | xargs rm',
    'git ls-files infra | xargs sed -i s/a/b/',
    'git diff --name-only infra | xargs git checkout --',
    'rg -l x infra | xargs sed -i s/a/b/',
    'find infra | parallel rm',
    'echo infra/a | parallel rm',
    'find infra | tar cf x -T -',
  ])('%s', (command) => {
    expect(commandVerdict(command, DENIED, { mode: 'bypass' })).toBe('deny');
    expect(commandVerdict(command, [...DENIED, ['allow', 'Bash']])).toBe('deny');
  });
});

test.each([
  'find infra | xargs wc -l',
  'find infra | xargs',
  'find infra | xargs -I{} cat {}',
  'git ls-files infra | xargs sed -n p',
  'ls infra | wc -l',
  'find infra | head -3',
  'cat infra/list | xargs rm',
  'find src | xargs rm',
])('%s only reads what is denied', (command) => {
  expect(commandVerdict(command, DENIED, { mode: 'bypass' })).toBe('allow');
});

describe('a name that takes the whole place of a mark', () => {
  const ALLOWED: readonly Rule[] = [
    ['allow', 'Bash(find:*)'],
    ['allow', 'Bash(ls:*)'],
    ['allow', 'Bash(wc:*)'],
  ];

  test.each([
    'find . | xargs -I{} wc -l {}',
    "find . -name '*.ts' | xargs -I % wc -l %",
    'find . -print0 | xargs -0 -I{} wc -l {}',
  ])('%s is allowed like the name at the end', (command) => {
    expect(commandVerdict(command, ALLOWED)).toBe('allow');
  });

  test.each([
    // Names in the folder may begin with a dash.
    'ls | xargs -I{} wc -l {}',
    'find . | xargs -I{} {} x',
    'echo --files0-from=x | xargs -I{} wc {}',
  ])('%s is not', (command) => {
    expect(commandVerdict(command, ALLOWED)).not.toBe('allow');
  });
});
