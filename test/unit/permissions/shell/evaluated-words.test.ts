/** Checks words that a shell evaluates, or makes several words of, before the program sees them (G7). */
import { describe, expect, test } from 'vitest';
import { judge } from '../support.ts';

describe('names that the shell evaluates: a substitution in a subscript runs, quoted or not', () => {
  test.each([
    ...["test -v 'a[$(rm x)]'", "test -R 'a[$(rm x)]'", "[ -v 'a[$(rm x)]' ]", "[[ -v 'a[`rm x`]' ]]"],
    ...["printf -v 'a[$(rm x)]' y", "printf '-va[$(rm x)]' y", "read 'a[$(rm x)]'", "read -r -p x 'a[$(rm x)]'"],
    ...["wait -p 'a[$(rm x)]'", "mapfile -t 'a[$(rm x)]'", "getopts ab 'a[$(rm x)]'", "mapfile -C 'rm x' a"],
    ...["readarray -t -C 'rm x' -c1 a", 'jobs -x rm x'],
  ])('%j', (command) => {
    const DENY = [
      ['allow', 'Bash'],
      ['deny', 'Bash(rm:*)'],
    ] as const;
    expect(judge('Bash', { command }, [['allow', 'Bash']]).verdict).toBe('ask');
    expect(judge('Bash', { command }, DENY).verdict).toBe('deny');
  });

  test.each(['test -v "$x"', 'printf -v "$x" y', 'read "$x"', 'mapfile $x', 'wait -p $x', '[[ $x -eq 1 ]]'])(
    'one that is not known: %j',
    (command) => {
      for (const mode of ['default', 'bypass'] as const)
        expect(judge('Bash', { command }, [['allow', 'Bash']], { mode }).verdict).toBe('ask');
    },
  );

  test.each(['let x', 'let "x+1"', 'let i++', 'for x in y; do let x; done'])(
    'a variable whose value is evaluated: %j',
    (command) => expect(judge('Bash', { command }, [], { mode: 'bypass' }).verdict).toBe('ask'),
  );

  test('assigning a number is covered', () =>
    expect(judge('Bash', { command: 'let i=1' }, [], { mode: 'bypass' }).verdict).toBe('allow'));

  test.each([
    ...['read -r line', 'read -p "Go on [y/n]? " x', 'read -t 5 x', 'mapfile -t a', 'readarray -d "[" a', 'wait'],
    ...['printf "%s" "[$x]"', 'printf -v x "[$y]"', 'jobs', 'getopts ab: o', 'test -f "$x"', 'test "$x" = "[y]"'],
  ])('the ordinary one is covered: %j', (command) => {
    expect(judge('Bash', { command }, [['allow', 'Bash']]).verdict).toBe('allow');
  });
});

describe('words that the shell makes several of: the second may be an option', () => {
  const ALL = 'sort git find tar rg curl head echo cat date'
    .split(' ')
    .map((each) => ['allow', `Bash(${each}:*)`] as const);
  const verdict = (command: string) => judge('Bash', { command }, ALL).verdict;
  test.each([
    ...['find . -name *', 'find . -name *.ts', 'tar tf *', 'tar -t -f *', 'tar --list --file *.tar', 'sort -k *'],
    ...['git log -n *', 'rg -e ?x src', 'git log -n [0-9]', 'git log -n $(cat f)', 'git log --author=$(cat f)'],
    ...[
      'git log -S$(cat f)',
      'git show v$(cat f)',
      'git commit -m $(cat f)',
      'find . -name $(echo a)',
      'sort a`cat f`',
    ],
  ])('%j', (command) => expect(verdict(command)).toBe('ask'));

  test.each([
    ...[
      'find . -name "*"',
      "find . -name '*.ts'",
      'find . -name x*',
      'tar tf x*.tar',
      'git log -- *.ts',
      'rg -e "?x" src',
    ],
    ...[
      'git log -n "$(cat f)"',
      'git log --author="$(cat f)"',
      'git commit -m "$(cat f)"',
      'git log -n $N',
      'sort -k2 f',
    ],
    ...['git checkout -b b-$(date +%s)'],
  ])('as it is meant: %j', (command) => expect(verdict(command)).toBe('allow'));
});
