/** Checks names that come by a pipe, a patch, a subscript or a suffix, and whole homes. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

const PROGRAMS = 'cat find grep git ls sed awk date seq cp rg patch xargs echo head zip chmod wc'.split(' ');
const RULES: readonly Rule[] = [
  ['deny', 'Edit(infra/**)'],
  ...PROGRAMS.map((name): Rule => ['allow', `Bash(${name}:*)`]),
];

describe('a rule does not cover names that another program makes for xargs', () => {
  test.each([
    "seq 1 | sed 's/1/.env/' | xargs cat",
    "ls src | sed 's/.*/.env/' | xargs cat",
    'awk \'BEGIN{print ".e" "nv"}\' | xargs cat',
    'date +.env | xargs cat',
    "find . -printf '.env\\n' | xargs cat",
    'git ls-files --format=.env | xargs cat',
    'git diff --name-only --line-prefix=.e | xargs cat',
    'grep -l x --label .env < f | xargs cat',
    'grep -l x --la .env < f | xargs cat',
    'grep -A1 --g .env x f | xargs cat',
    'rg -r .env -o x f | xargs cat',
    'rg -A1 --context-separator .env x f | xargs cat',
    // A part of a name may be another name.
    "git ls-files | grep -o '.env' | xargs cat",
    'git ls-files | tail -c5 | xargs cat',
  ])('%s', (command) => expect(commandVerdict(command, RULES)).not.toBe('allow'));

  test.each([
    'find src -type f | xargs wc -l',
    'git ls-files | xargs cat',
    'git diff --name-only | xargs cat',
    'ls src | head -3 | xargs cat',
    "find src -name '*.ts' | grep -v x | xargs cat",
    'grep -rl x src | xargs cat',
    'rg -l -trust x src | xargs cat',
    'git ls-files | grep -v x | head -n 3 | xargs wc -l',
    // The lines of a file are words like any others: the rule is one for any further arguments.
    'cat list | xargs cat',
    'head -5 list | xargs cat',
    'cat list | grep -v x | xargs cat',
    'xargs cat < list',
    'xargs -a list cat',
  ])('but of what is there: %s', (command) => expect(commandVerdict(command, RULES)).toBe('allow'));
});

describe('the headers of a patch are files that it writes, in any mode', () => {
  const patch = (name: string): string => `--- a/${name}\n+++ b/${name}\n`;
  test.each(['.npmrc', 'infra/main.tf'])('%s', (name) => {
    for (const command of [
      `git apply <<'E'\n${patch(name)}E`,
      `git am <<'E'\n${patch(name)}E`,
      `patch -p1 <<'E'\n${patch(name)}E`,
      `cat <<'E' | git apply\n${patch(name)}E`,
      `patch -p1 <<< '+++ b/${name}'`,
      `env git apply <<'E'\n${patch(name)}E`,
      `cat <<'E' | timeout 5 nice patch -p1\n${patch(name)}E`,
    ])
      expect([command, commandVerdict(command, RULES, { mode: 'bypass' })]).toEqual([command, 'deny']);
  });

  test.each(['.npmrc', 'infra/main.tf'])('%s, in the form of Codex', (name) => {
    const codex = `*** Begin Patch\n*** Update File: ${name}\n@@\n-a\n+b\n*** End Patch`;
    for (const command of [
      `apply_patch <<'E'\n${codex}\nE`,
      `apply_patch '${codex}'`,
      `applypatch "${codex}"`,
      `cat <<'E' | apply_patch\n${codex}\nE`,
      `bash -lc "apply_patch <<'E'\n${codex}\nE"`,
    ])
      expect([command, commandVerdict(command, RULES, { mode: 'bypass' })]).toEqual([command, 'deny']);
  });

  test('a patch of Codex that nobody has read is asked about', () => {
    const rules: readonly Rule[] = [['allow', 'Bash(apply_patch:*)']];
    expect(commandVerdict('apply_patch "$P"', rules, { mode: 'acceptEdits' })).toBe('ask');
  });

  test('and its lines name none', () => {
    const command = "git apply <<'E'\n--- a/src/x\n+++ b/src/x\n+load('.env')\nE";
    expect(commandVerdict(command, RULES)).toBe('allow');
  });
});

describe('a denied program is found', () => {
  test.each([
    'eval -- rm x',
    "eval -- 'rm x'",
    "x=1; unset 'x[$(rm y)]'",
    "declare 'x[$(rm y)]=1'",
    "typeset 'x[`rm y`]=1'",
    "declare -a x='($(rm y))'",
    "f() { local 'x[$(rm y)]=1'; }; f",
  ])('%s', (command) => expect(commandVerdict(command, [['deny', 'Bash(rm:*)']], { mode: 'bypass' })).toBe('deny'));

  test.each(['declare x=1', 'unset x', 'export A=b && ls'])('and not in: %s', (command) =>
    expect(commandVerdict(command, [['deny', 'Bash(rm:*)']], { mode: 'bypass' })).toBe('allow'),
  );
});

describe('magic words of a pathspec do not hide its name', () => {
  test.each([
    "git grep --untracked x -- ':(icase).ENV'",
    "git show ':(glob).e*'",
    "git diff -- ':(top,icase).ENV'",
    "git log -p -- ':(literal).env'",
    "git add ':(glob).e*'",
    "git restore ':(top)infra/main.tf'",
    "git checkout HEAD -- ':(icase)INFRA/main.tf'",
  ])('%s', (command) => expect(commandVerdict(command, RULES)).toBe('deny'));

  test.each(["git grep x -- ':(exclude).env'", "git diff -- ':!.env'", "git log -- ':(top)src'"])(
    'and leave others: %s',
    (command) => expect(commandVerdict(command, RULES)).toBe('allow'),
  );
});

describe('no rule covers a walk through a whole home', () => {
  test.each([
    'grep -r KEY ~',
    'grep -rh "" /home',
    'grep --recursive KEY /',
    'rg KEY ~',
    'cp -r ~ /tmp/x',
    'cp -a ~/. x',
    'find ~ -exec cat {} +',
    'find / -type f -exec cat {} +',
    'find ~ -type f | xargs cat',
    'find ~ -type f | grep env | head -3 | xargs cat',
    'grep --rec KEY ~',
    'grep -d recurse KEY ~',
    'cp --arch ~ x',
    'zip -r x.zip ~',
    'chmod -R 777 ~',
    'grep -r KEY /home/agent/../agent',
  ])('%s', (command) => expect(commandVerdict(command, [...RULES, ['allow', 'Edit']])).not.toBe('allow'));

  test.each(['grep -r KEY .', 'grep KEY ~/x', 'ls ~', 'find ~ -name x', 'cp -r src /tmp/x', 'rg KEY src'])(
    'but: %s',
    (command) => expect(commandVerdict(command, RULES)).toBe('allow'),
  );
});

describe('a name that the program makes of another is a file that it writes', () => {
  test.each([
    'gunzip .npmrc.gz',
    'xz -d .git/hooks/pre-commit.xz',
    'unzstd -k src/.npmrc.zst',
    'cp -b --suffix=c x .npmr',
    'mv -bSc x .npmr',
    'ln -b -S c x .npmr',
    'split f .en',
    'split -a 1 -n 3 f .npmr',
    'split -l 10 f .npm',
  ])('%s', (command) => expect(commandVerdict(command, RULES, { mode: 'bypass' })).toBe('deny'));

  test.each(['gunzip x.gz', 'split -l 10 f src/part', 'cp -b a b', 'cp --sparse=always a b'])('but: %s', (command) =>
    expect(commandVerdict(command, RULES, { mode: 'bypass' })).toBe('allow'),
  );
});

test('an exported variable that no program runs needs no rule', () => {
  const rules: readonly Rule[] = [['allow', 'Bash(npm test:*)']];
  expect(commandVerdict('export NODE_ENV=test CI=1 && npm test', rules)).toBe('allow');
  for (const command of ['export PATH=x && npm test', 'export NODE_ENV=../x; npm test', 'export -n CI=1; npm test'])
    expect([command, commandVerdict(command, rules)]).toEqual([command, 'ask']);
});

test('a compiler writes what an edit rule covers', () => {
  const rules: readonly Rule[] = [
    ['allow', 'Bash(gcc:*)'],
    ['allow', 'Edit(build/**)'],
  ];
  expect(commandVerdict('gcc -Wall -c src/x.c -o build/x.o', rules)).toBe('allow');
  expect(commandVerdict('gcc src/x.c -osrc/x', rules)).toBe('ask');
});
