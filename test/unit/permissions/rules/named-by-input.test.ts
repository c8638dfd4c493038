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
    'xargs rm < <(find infra)',
    'xargs rm <<< "$(find infra)"',
    'parallel rm < <(find infra)',
    'git restore --pathspec-from-file=- < <(git ls-files infra)',
    'grep -rL x infra | xargs rm',
    'rg --files-without-match x infra | xargs rm',
    'find infra | gxargs rm',
    'find infra | sem rm',
    'find infra | zip -@m x',
    'find infra -print0 | find -files0-from - -delete',
    'git ls-files infra | git update-index --remove --stdin',
    'git ls-files infra | git checkout-index -f --stdin',
    'find infra | xargs xargs rm',
    'find infra | xargs busybox rm',
    'find infra | xargs -i rm {}',
    "find infra | parallel 'rm {}'",
    "find infra | parallel 'wc -l {}; rm {}'",
  ])('%s', (command) => {
    expect(commandVerdict(command, DENIED, { mode: 'bypass' })).toBe('deny');
    expect(commandVerdict(command, [...DENIED, ['allow', 'Bash']])).toBe('deny');
  });
});

test.each([
  'find infra | xargs wc -l',
  'find infra | xargs',
  'find infra | xargs -I{} cat {}',
  'find infra | xargs -i cat {}',
  'find infra | xargs xargs cat',
  'find infra | xargs nice cat',
  'find infra | xargs timeout 5 env LC_ALL=C sort',
  'find infra | xargs sudo cat',
  'find infra | xargs busybox cat',
  'find infra | xargs command cat',
  'find infra | parallel -j 4 wc -l',
  "find infra | parallel 'wc -l {}'",
  'xargs wc -l < <(find infra)',
  'git ls-files infra | xargs sed -n p',
  'ls infra | wc -l',
  'find infra | head -3',
  'cat infra/list | xargs rm',
  'find src | xargs rm',
])('%s only reads what is denied', (command) => {
  expect(commandVerdict(command, DENIED, { mode: 'bypass' })).toBe('allow');
});

test.each([
  'xargs -a <(find infra) rm',
  'parallel -a <(find infra) rm',
  'tar cf x --remove-files -T <(find infra)',
  'find -files0-from <(find infra -print0) -delete',
])('%s takes a list that another command makes', (command) => {
  expect(commandVerdict(command, DENIED, { mode: 'bypass' })).not.toBe('allow');
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
    'find . | xargs -ri wc {}',
    'find . | xargs -0i wc {}',
    'echo --files0-from=x | xargs -I{} wc {}',
  ])('%s is not', (command) => {
    expect(commandVerdict(command, ALLOWED)).not.toBe('allow');
  });
});

test.each([
  'find / | parallel rm',
  "find / | parallel 'rm {}'",
  'ls / | gxargs rm -rf',
  'xargs rm -rf < <(find /)',
  'xargs rm -rf < <(echo /)',
  'xargs rm -rf <<< "$(ls /)"',
])('%s deletes what no rule lets anybody delete unasked (D14)', (command) => {
  expect(commandVerdict(command, [['allow', 'Bash']], { mode: 'bypass' })).toBe('ask');
});

test('find ~ | gxargs cat goes through the home like xargs', () => {
  const rules: readonly Rule[] = [
    ['allow', 'Bash(find:*)'],
    ['allow', 'Bash(cat:*)'],
  ];
  expect(commandVerdict('find ~ | gxargs cat', rules)).toBe('ask');
});
