/**
 * Checks the preset `read-only` (D43), which runs programs that only read without a rule.
 *
 * Holds for unprotected paths inside the project root.
 */
import { describe, expect, test } from 'vitest';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { evaluateCall } from '../../../../shared/permissions/stages/evaluate.ts';
import { callOf, decidedOf, policyOf, type Rule, tools } from '../support.ts';

const PRESET = {
  effect: 'allow',
  pattern: 'preset(read-only)',
  source: 'default',
  matcher: { kind: 'preset', name: 'read-only' },
} as const;

const underPreset = (command: string, rules: readonly Rule[] = [], more: object = {}) => {
  const inputs = [...policyOf(rules).rules.map(({ input }) => input), PRESET];
  const { policy } = compileRules(inputs, { tools });
  return decidedOf(evaluateCall(callOf('Bash', { command }, [], { policy, ...more }), { now: 0 }));
};

describe('the preset read-only allows', () => {
  test.each([
    ...[
      'ls',
      'ls -la src',
      'cat src/a.ts',
      'head -5 a | sort | uniq -c',
      'wc -l src/*.ts',
      'grep -rn foo src',
      'rg -i foo',
    ],
    ...[
      'find . -name "*.ts"',
      'find src -type f -exec wc -l {} +',
      'find src -name "*.ts" | xargs wc -l',
      'cd src && ls',
    ],
    ...[
      'git status',
      'git log --oneline -5',
      'git diff HEAD~1 -- src',
      'git show HEAD:src/a',
      'git branch -a',
      'git stash list',
    ],
    ...[
      "sed -n '1,5p' a",
      "awk '{print $1}' a",
      'jq .a package.json',
      'diff a b',
      'stat a',
      'du -sh .',
      'pwd',
      'date',
      'which node',
    ],
    ...['for f in src/*.ts; do head -1 "$f"; done', '[ -f a ] && cat a', 'ls > /dev/null 2>&1'],
  ])('%s', (command) => {
    expect(underPreset(command)).toMatchObject({ verdict: 'allow' });
    // Without the preset the same command waits for a person.
    const alone = decidedOf(evaluateCall(callOf('Bash', { command }, []), { now: 0 }));
    expect(alone.verdict).toBe(command === 'pwd' ? 'allow' : 'ask');
  });

  test('under its own name, of the weakest source', () => {
    expect(underPreset('ls').rule).toMatchObject({ pattern: 'preset(read-only)', source: 'default' });
  });
});

describe('the preset read-only lets no glob pass that says a protected name, whatever the program takes it for', () => {
  test.each([
    ...[
      '[ /home/agent/.aws/* = x ]',
      '[ .e* = x ]',
      'test ~/.ssh/* = x',
      '[ -n /home/agent/.aws/* ]',
      '[ x != ~/.aws/* ]',
    ],
    ...['echo .e*', 'printf %s .e*', 'true ~/.ssh/*', ': ~/.ssh/*', 'grep -h .env* a', 'grep .env* a'],
  ])('%s', (command) => expect(underPreset(command).verdict).not.toBe('allow'));

  test.each([
    'echo *.ts',
    '[ a = b ]',
    '[[ $x == .env* ]]',
    'echo ".e*"',
    'grep "^.env*" a',
    'find . -not -name .e*',
    'sed s/a*/b/ a',
  ])('%s is none', (command) => expect(underPreset(command).verdict).toBe('allow'));
});

describe('the preset read-only leaves to people', () => {
  test.each([
    ...[
      'cat /etc/passwd',
      'cat ~/notes',
      'cat ../x',
      'ls /',
      'find / -name x',
      'cat $X',
      'cat "$HOME/x"',
      'grep -r x /',
    ],
    ...['grep x --file=/etc/passwd a', 'cat a/../../x', 'find src -name x -o -path / -newer /etc/passwd'],
    ...[
      'sed -i s/a/b/ a',
      'sort -o a b',
      'uniq a b',
      'find . -delete',
      'find . -fprint a',
      'git branch x',
      'git branch -D x',
    ],
    ...[
      'git tag v1',
      'git stash',
      'git stash pop',
      'git checkout a',
      'git fetch',
      'git log --output=a',
      'git grep -O foo',
    ],
    ...[
      'date -s 12:00',
      'hostname x',
      'tee a',
      'xxd -r a b',
      'tree -o a',
      'rg --pre ./x a',
      'less +!id a',
      'man -P id ls',
    ],
    ...['ls > a', 'cat a > b', 'awk \'{print > "b"}\' a', 'env', 'printenv', 'cat /proc/self/environ'],
    ...[
      'curl https://example.com',
      'gh pr list',
      'aws s3 ls',
      'kubectl get secret a -o yaml',
      'docker inspect a',
      'npm view a',
    ],
    ...[
      'ls | sh',
      'ls; make',
      'ls $(make)',
      'xargs make',
      'find . -exec make {} +',
      'PAGER=id git log',
      './ls',
      '/tmp/x/ls',
    ],
    ...[
      'strings @/etc/passwd',
      'date -r/etc/passwd',
      'git show HEAD:../x',
      'comm a b:/etc/x',
      'cat .?/x',
      'cat .*/x',
      'echo ~/*',
    ],
    ...['cd /tmp && ls', 'cd $X && ls', 'ls | xargs cat', 'tldr --update', 'tldr --edit-page ls'],
  ])('%s', (command) => expect(underPreset(command).verdict).not.toBe('allow'));

  test('protected paths and whatever a rule denies or asks about', () => {
    expect(underPreset('cat .env').verdict).toBe('deny');
    expect(underPreset('cat .git/config').verdict).toBe('deny');
    expect(underPreset('cat secrets/a', [['deny', 'Read(secrets/**)']]).verdict).toBe('deny');
    expect(underPreset('git log', [['ask', 'Bash(git log:*)']]).verdict).toBe('ask');
    expect(underPreset('ls', [], { cwd: '/tmp' }).verdict).toBe('ask');
    expect(underPreset('ls', [], { managedRulesOnly: true }).verdict).toBe('ask');
  });
});

describe('the version of a program', () => {
  test.each(['node --version', 'node -v', 'python3 --version', 'go version', 'git --version && npm -v'])(
    '%s is read',
    (command) => expect(underPreset(command).verdict).toBe('allow'),
  );

  // The first three may run a file of the project, the others more than the program's own words.
  test.each([
    'cargo --version',
    'yarn --version',
    './node --version',
    'node --version x.js',
    'node -r ./x.js --version',
    'NODE_OPTIONS=--require=./x.js node --version',
    '$X --version',
  ])('%s is not', (command) => expect(underPreset(command).verdict).toBe('ask'));

  test('a deny rule holds', () =>
    expect(underPreset('node --version', [['deny', 'Bash(node:*)']]).verdict).toBe('deny'));
});
