/**
 * Checks that a text's effects on its own shell are followed or asked about.
 *
 * Effects: folders, parameters, variables, and names for them.
 */
import { describe, expect, test } from 'vitest';
import type { Mode } from '../../../../shared/permissions/model/types.ts';
import { commandVerdict, type Rule, SURE_TO_ALLOW } from '../support.ts';

const PROGRAMS = 'cat cd pushd time set sed command read printf echo rm export eval test git pytest';
const DENIED: readonly Rule[] = [
  ['deny', 'Read(src/private/**)'],
  ['deny', 'Bash(rmdir:*)'],
];
const RULES: readonly Rule[] = [...DENIED, ...PROGRAMS.split(' ').map((name): Rule => ['allow', `Bash(${name}:*)`])];
const MODES: readonly Mode[] = ['default', 'acceptEdits', 'bypass', 'auto'];

const allowedIn = (command: string, rules: readonly Rule[]): readonly string[] =>
  MODES.filter((mode) => commandVerdict(command, rules, { mode }, { classifier: SURE_TO_ALLOW }) === 'allow');
/** With rules for the programs, and with nothing but the modes. */
const allowed = (command: string): readonly string[] => [...allowedIn(command, RULES), ...allowedIn(command, DENIED)];

describe('a built-in behind words of the shell moves the shell', () => {
  const BEHIND = [
    'time',
    'time -p',
    'time time',
    'time !',
    '! time',
    'command -p',
    'command --',
    'builtin',
    'builtin --',
  ];
  const MORE = ['exec', 'noglob', 'nocorrect', 'time command', 'command time', 'command $x', 'time -p builtin'];

  test.each([...BEHIND, ...MORE])('%s cd', (words) => {
    expect(allowed(`${words} cd ~/.config && cat gh/hosts.yml`)).toEqual([]);
    expect(allowed(`${words} cd ~/.config; cat gh/hosts.yml`)).toEqual([]);
    expect(allowed(`${words} pushd ~/.config; cat < gh/hosts.yml`)).toEqual([]);
  });

  test.each(['cd -- ~/.config', 'cd -P -- ~/.config', 'pushd -- ~/.config', 'CDPATH=~ cd .config'])('%s', (move) =>
    expect(allowed(`${move} && cat gh/hosts.yml`)).toEqual([]),
  );

  test('a move out of the project behind time is covered by no rule for what follows', () =>
    expect(allowedIn('time cd /etc && cat x', RULES)).not.toContain('default'));

  test('and one that only may have happened leaves both folders', () => {
    expect(allowed('time cd sub && cat src/private/x')).toEqual([]);
    expect(allowed('time cd src && cat private/x')).toEqual([]);
    expect(allowedIn('time cd src && cat x', RULES)).toEqual(MODES);
    expect(allowedIn('command -v cd && cat x', RULES)).toEqual(MODES);
  });
});

describe('a tilde that stands for a folder of the stack is no certain path', () => {
  test.each([
    ...[
      'cd src && cd .. && cat ~-/private/a',
      'cat ~-',
      `cat ~${'0'.repeat(40)}1/x`,
      'cat ~-/x',
      'pushd src; cat ~1/x',
      'pushd src; cat ~0/private/x',
    ],
    ...['pushd src; cat ~+0/private/x', 'pushd src; cat ~-0/private/x', 'pushd src; pushd ..; cat ~+1/private/x'],
    ...['cat {~-,x}/private/a', 'x=~-/private/a; cat $x', 'cat < ~-/private/a', 'cat ~-/$x', 'cat ~"-"/x ~-/y'],
    ...['echo x > ~1/a', 'for x in ~-/a; do cat $x; done', 'export x=~1/a; cat $x', 'cd ~- && cat x'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test.each(['cat "~-/x"', 'cat \\~1/x', 'cat ~+/x', 'cat ~/x', 'git show HEAD~1', 'cat a~-', 'cat src/~1'])(
    'and %s is',
    (command) => expect(allowedIn(command, RULES)).toEqual(MODES),
  );

  test.each([
    'HOME=/x; cat ~/y',
    'export HOME=x; cat ~/y',
    'unset HOME; cat ~/y',
    "eval 'HOME=x'; cat ~/y",
    'PWD=x; cat ~+/y',
  ])('nor is one whose variable the text may have set: %s', (command) => expect(allowed(command)).toEqual([]));
});

describe('parameters that the text sets may be any words', () => {
  test.each([
    ...[
      'set -- -r /; rm "$@"',
      'set /; rm -r "$@"',
      'set - /; rm -r $1',
      'set -- /; cat .ssh$1id_rsa',
      'set -- a b; rm $2',
    ],
    ...['set -- /; cat .aws$1credentials', 'set -- /; cat .ssh${1}id_rsa', 'set x /; cat .ssh$2id_rsa'],
    ...['set -- .e nv; IFS=; cat "$*"', 'set -- x /; shift; cat .ssh$1id_rsa', 'set rm; /bin/ld-musl-x86_64.so.1 $1'],
    ...['command set -- /; cat .ssh$1id_rsa', 'time set -- /; cat .ssh$1id_rsa', 'builtin set / ; cat .ssh$1id_rsa'],
    ...[
      'set -- rmdir; time $1 x',
      'set -- /; v=$1; cat .ssh${v}id_rsa',
      'set -- /; for x in $@; do cat .ssh${x}id_rsa; done',
    ],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test('and are the ones of the call where the text only sets options', () =>
    expect(allowedIn('set -euo pipefail; cat "src/$1"', [['allow', 'Bash(cat:*)']])).toEqual(MODES));
});

describe('code that the shell evaluates leaves its variables and its folder unknown', () => {
  test.each([
    ...['eval "cd /" && cat etc/shadow', "eval 'c\\d /'; cat etc/shadow", 'time eval "cd /" && cat etc/shadow'],
    ...['command eval "cd /"; cat etc/shadow', 'source x; cat gh/hosts.yml', '. ./x; cat < gh/hosts.yml'],
    ...["trap 'cd /' DEBUG; cat etc/shadow", 'eval "pushd /"; cat etc/shadow', 'eval \'eval "cd /"\'; cat etc/shadow'],
    ...[
      'eval "v=/"; cat .ssh${v}id_rsa',
      'source x; cat .ssh${v}id_rsa',
      '. x; cat .ssh$v/id',
      "trap 'v=/' DEBUG; cat a$v",
    ],
    ...[
      'eval \'set - -r ~\'; rm "$@"',
      "eval 'v='\\''rmdir'\\'; aws-vault $v",
      'eval \'set git config b c\'; tmux "$@"',
    ],
    ...["eval A=-c; sh $A '$' ''", "v=/ eval 'x=$v'; cat .ssh${x}id_rsa", 'eval v=x; w=$v; cat $w'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test.each([
    'eval "cd /"',
    'source x; pytest',
    'eval "v=1"; echo hi',
    "trap 'git gc' EXIT; cat x",
    '(. x); cat a',
    'eval pytest; cat a',
  ])('but %s names no file there', (command) => expect(allowedIn(command, DENIED)).toContain('bypass'));
});

describe('a variable that a built-in sets, by its name or another, is unknown', () => {
  test.each([
    ...['declare -n r=v; r=/; cat .ssh${v}id_rsa', 'typeset -n r=v; r=/; cat .ssh${v}id_rsa', 'local -xn r=v; cat a'],
    ...[
      "declare -n r=v; r='r.env'; sed ${v}",
      'declare -l x=RMDIR; $x y',
      'declare -i v=x; cat $v',
      'command declare -n r=v; cat a',
    ],
    ...['command read v <<< /; cat .ssh${v}id_rsa', 'time read v <<< /; cat .ssh${v}id_rsa', 'builtin read v; cat $v'],
    ...[
      'printf -vv /; cat .ssh${v}id_rsa',
      'builtin printf -v v /; cat .ssh${v}id_rsa',
      'command export v=/; cat .ssh${v}id_rsa',
    ],
    ...['export "v=/"; cat .ssh${v}id_rsa', '"export" v=/; cat .ssh${v}id_rsa', 'readonly "v"="/"; cat .ssh${v}id_rsa'],
    ...['if true; then X=/; a=$X; fi; cat .ssh${a}id_rsa', 'IFS=X; v=.envXy; cat $v', 'v=x; read v <<< .env; cat $v'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test.each([
    'alias cat=rm\ncat x',
    'enable -f x y; cat x',
    'export PS4=x; cat y',
    'read PS4 <<< x; set -x',
    'export CDPATH=~; cd .config',
  ])('what changes the meaning of later words asks: %s', (command) => expect(allowed(command)).toEqual([]));

  test.each(['export v=x; cat $v', 'readonly -p; cat a', 'declare -x v=1; cat a', 'time read v; cat a'])(
    'and %s does not',
    (command) => expect(allowedIn(command, DENIED)).toContain('bypass'),
  );
});

describe('a folder of the text or of its stack, and one that cannot be known', () => {
  test.each([
    ...[
      'cd ~/.config; cd src; cd -; cat gh/hosts.yml',
      'cd ~/.config; popd; cat gh/hosts.yml',
      'pushd ~/.config; pushd src; popd; cat gh/hosts.yml',
    ],
    ...[
      'pushd -n ~/.config; popd; cat gh/hosts.yml',
      'cd ~/.config; cd ..; cd "$OLDPWD"; cat gh/hosts.yml',
      'pushd ~/.config; pushd .; pushd +1; cat gh/hosts.yml',
    ],
    ...[
      'cd ~/.c?nfig; cat gh/hosts.yml',
      'cd ~/{.config,x}; cat gh/hosts.yml',
      'cd ~/.config b; cat gh/hosts.yml',
      'cd ~agent/.config; cat gh/hosts.yml',
    ],
    ...[
      'read v; cd $v; cat x',
      'cd ${X:-/etc}; cat x',
      'cd "$X/.config"; cat gh/hosts.yml',
      "mapfile -C 'cd /' x <<< a; cat etc/shadow",
    ],
    ...[
      'set -- ~/.config; cd $1; cat gh/hosts.yml',
      "compgen -C 'cd /'; cat etc/shadow",
      'bind -x \'"a":cd /\'; cat etc/shadow',
      'set -k; cat x',
    ],
    ...[
      'env -C ~/.config cat gh/hosts.yml',
      'env --chdir=/home/agent/.config cat x',
      'env --ch ~/.config cat x',
      'env -iC ~/.config cat gh/hosts.yml',
    ],
    ...[
      'sudo -D ~/.config cat gh/hosts.yml',
      'time env -C ~/.config cat gh/hosts.yml',
      'env A=1 -C ~/.config cat gh/hosts.yml',
    ],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test.each([
    'cd src; cat x; cd -; cat y',
    'pushd src; popd; cat x',
    'cd "$DIR"; cat x',
    'cd "$(git rev-parse --show-toplevel)"; cat x',
  ])('and %s is left to the mode', (command) => expect(allowedIn(command, DENIED)).toContain('bypass'));
  test.each([
    ...[
      'tar -C ~/.config -cf - gh/hosts.yml',
      'tar -cC ~/.config -f - gh/hosts.yml',
      'tar --directory=/home/agent/.config -c gh/hosts.yml',
    ],
    ...[
      'make -C ~/.config gh/hosts.yml',
      'git -C ~/.config show :gh/hosts.yml',
      'git --work-tree ~/.config add gh/hosts.yml',
    ],
    ...[
      'tar -C src -cf - private/a',
      'tar -C ~/.conf$x -c gh/hosts.yml',
      'tar -C src -c ./pri?ate/a',
      'npm --cwd ~/.config test gh/hosts.yml',
    ],
  ])('an option names the folder of the other words: %s', (command) => expect(allowed(command)).toEqual([]));

  test.each(['tar -C sub -cf x.tar a', 'git -C sub log', 'make -C sub all', 'grep -C 3 x src/y'])(
    'and %s names no denied one',
    (command) => expect(allowedIn(command, DENIED)).toContain('bypass'),
  );

  test('an option of the command within is none of its wrapper', () =>
    expect(allowedIn('env A=1 grep -C 3 x src/y', DENIED)).toContain('bypass'));
});

test.each([
  'git -[[=C=]] sub push',
  'git -[[.C.]] sub push',
  'git [-]C sub push',
  'git ?C sub push',
  'git -"C"* sub push',
])('a glob in an option before a denied sub-command hides it from no rule: %s', (command) =>
  expect(allowedIn(command, [...RULES, ['deny', 'Bash(git push:*)']])).toEqual([]),
);

test.each(['time A=1', 'e|time A=', 'cat x | time -p A=1 cat y', "'time' A=1", 'time time A=x', 'cat x|time ! A=1'])(
  'an assignment behind time may be a program: %s',
  (command) => expect(allowed(command)).toEqual([]),
);

describe('unknown parts side by side are nothing in one reading', () => {
  test.each(['rmdir$1$2 y', 'r$1$@mdir y', '$1$2rmdir y', 'rm$@$1$*dir y', 'time rmdir$1$2 y'])('%s', (command) =>
    expect(commandVerdict(command, DENIED)).toBe('deny'),
  );
  test.each([
    ...[
      'cat .$1$@env',
      'cat .e$1$2$3nv',
      'cat src/priv$*$1ate/x',
      'cat ${PWD:-x}/src/private/a',
      'cat ${HOME-x}/.ssh/a',
    ],
    ...['cat "${HOME:-.}"/.aws/credentials', 'x=src; cat ${x:-a}/private/k', 'x=; cat ${x:-src}/private/k'],
  ])('%s', (command) => expect(commandVerdict(command, DENIED)).toBe('deny'));
});
