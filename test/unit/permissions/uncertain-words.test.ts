/**
 * Checks that an open part of a text never ends in allow (D40, G6, G8, G43).
 *
 * Holds where a reading of it is denied or protected.
 */
import { describe, expect, test } from 'vitest';
import type { Mode } from '../../../shared/permissions/model/types.ts';
import { judge, type Rule } from './support.ts';

const PROGRAMS =
  'cat cp find sort tar rg grep git curl xargs printf read foo rev tr echo fd man xxd ps systemctl journalctl ls test [';
const RULES: readonly Rule[] = [
  ['deny', 'Bash(rm:*)'],
  ['deny', 'Bash(foo deploy:*)'],
  ['deny', 'Bash(npm run deploy:*)'],
  ['deny', 'Read(secrets/**)'],
  ['deny', 'Edit(infra/**)'],
  ['allow', 'Read'],
  ...PROGRAMS.split(' ').map((name): Rule => ['allow', `Bash(${name}:*)`]),
  ['allow', 'Bash(npm run:*)'],
];
const MODES: readonly Mode[] = ['default', 'acceptEdits', 'bypass'];

const allowed = (command: string, modes: readonly Mode[] = MODES): readonly string[] =>
  modes.filter((mode) => judge('Bash', { command }, RULES, { mode }).verdict === 'allow');

describe('a protected or denied path with parts that are not known', () => {
  test.each([
    ...['cat $@.env', 'cat "$1".env', 'cat .$@env', 'cat .e$@nv', 'cat "$@".env', 'cat $*.env', 'cat ${E:-.env}'],
    ...['cat ${E%x}.env', 'cat .${E}e${E}n${E}v', 'cat .{e..e}nv', 'cat .e{n,}v', "cat $'\\x2eenv'", 'cat .[e]nv'],
    ...['cat .$(echo env)', 'cat $(true).env', 'x=.e; cat ${x}nv', 'x=.e; x=${x}nv; cat $x', 'echo .e; cat ${_}nv'],
    ...['cat i$x', 'cat .ssh/i$x', 'cat ~/$@.ssh/id_ecdsa', 'cp a $x.git/hooks/pre-commit', 'cat .git$x/config'],
    ...['cat secr${E}ets/key', 'cat [s]ecrets/key', 'cat sec{r,}ets/key', 'cat "$1"secrets/key', 'cat secret?/key'],
    ...['set -- nv; cat .e$1', 'for x in e; do cat .${x}nv; done', 'read -r x <<< .env; cat "$x"', 'cat < $1.env'],
    ...['git show --pretty HEAD:.env', 'git commit --branch .env -m x', 'grep --color foo .env', 'man ./.env'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));
});

describe('what flows into the words of another command', () => {
  test.each([
    ...['echo .env | xargs cat', 'printf .env | xargs cat', 'xargs cat <<< .env', 'cat <<E | xargs cat\n.env\nE'],
    ...['echo env | xargs -I{} cat .{}', 'echo nv | xargs -I% cat .e%', 'echo vne. | rev | xargs cat'],
    ...['echo .Env | tr E e | xargs cat', 'printf .%s env | xargs cat', "printf '\\x2eenv' | xargs cat"],
    ...['ls | xargs -I{} {} x', 'find . -exec {} \\;', "ls | xargs -I{} sh -c 'cat {}'", 'ls | xargs -I{} sh -c {}'],
    ...[
      'echo deploy | xargs foo',
      'xargs foo < x',
      'xargs -a x npm run',
      'find . -exec foo {} +',
      'fd -xrm',
      'fd -Hx rm',
    ],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));
});

describe('a command that may be the one of a deny rule', () => {
  test.each([
    ...['foo $(echo deploy)', 'foo dep$(echo loy)', 'foo $x', 'foo "$x"', 'foo dep$x', 'foo d*', 'foo deplo?'],
    ...['foo [d]eploy', 'foo -v $x', 'foo $@deploy', 'npm run dep$1loy', 'npm run dep[l]oy', 'npm run $x'],
    ...['npm run -s $x', 'r$1m y', '$1rm y', 'r$(true)m y', '"$@" rm y', '/bin/r? y', 'r{m,} y', 'sh -c "$x"', '$x y'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test.each(['foo build $x', 'foo $(pwd)', 'foo "q$x"', 'npm run build -- $x', 'cat "$f"'])(
    'and %s may not',
    (command) => expect(allowed(command, ['bypass'])).toEqual(['bypass']),
  );
});

describe('a test that a shell reads as commands', () => {
  test.each([
    ...[
      '[ -f x || ./e.sh ]',
      '[ -f x > src/i.ts ]',
      '[ x | sh ]',
      '[ -f x; ./e.sh ]',
      '[[x || ./e.sh ]]',
      '[ x & ./e ]',
    ],
    ...['[[ a || ./e.sh ]]', '[[ a < b ]]', '[[ a > b ]]', '[ a == $(rm y) ]', "[ -v 'a[$(./e.sh)]' ]", '[ x && ./e ]'],
    ...["test -v 'a[$(./e.sh)]'", "[ a -eq 'a[$(./e.sh)]' ]", '[[ a =~ $(./e.sh) ]]', '[ -f x\n./e.sh ]', '[ x >> y ]'],
    ...['[ x < ../y ]', '[ `./e.sh` ]', '[[ -f x && f ./e.sh ]]', '[ x |& ./e.sh ]'],
  ])('%s', (command) => expect(allowed(command, ['default', 'acceptEdits'])).toEqual([]));
});

describe('a setting that changes what later words mean', () => {
  test.each([
    ...['shopt -s dotglob; cat *env', 'shopt -s extglob; cat x', "PS4='$(rm y)'; set -x; ls", 'BASH_ENV=x cat y'],
    ...['hash -p /bin/rm ls; ls y', 'PROMPT_COMMAND=x'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test('a turn of the stack of folders leads nowhere that is known', () =>
    expect(allowed('pushd +1; cat x', ['default', 'acceptEdits'])).toEqual([]));
});

describe('a program that reads', () => {
  const preset: readonly Rule[] = RULES;
  test.each([
    ...['xxd a b', 'xxd -p x src/y', 'git fsck --lost-found', 'ps e', 'ps auxe', 'systemctl status x -H evil'],
    ...['journalctl --rotate', 'journalctl -D /x', 'printf -v PATH %s .', 'read PATH <<< .', 'read path <<< .'],
  ])('%s does more', (command) =>
    expect(
      judge(
        'Bash',
        { command },
        preset.filter(([, pattern]) => pattern !== 'Bash(ps:*)'),
      ).verdict,
    ).not.toBe('allow'),
  );
});

describe('a command word that holds a blank', () => {
  test.each([
    ...['"cat x" y', "'ls /x/ls'", 'cat\\ x', '"npm run build x/npm"', '"git status"', '"find ." -name x', "$'cat x'"],
    ...[
      '"[ -f" x ]',
      '"echo x"',
      '"grep x"',
      '"cat\tx"',
      '"/bin/cat x"',
      '"./cat x" y',
      '"rg x"',
      '"tar tf"',
      '" cat" x',
    ],
    ...['"cat " x', '"sort x"', '"cp a" b', '"curl x"', '"man x"'],
  ])('%s', (command) => expect(allowed(command, ['default', 'acceptEdits'])).toEqual([]));
});
