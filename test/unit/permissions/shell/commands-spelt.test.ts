/**
 * Checks one command in every spelling that a shell reads as it (G8).
 *
 * A deny of `rm` covers each, and no spelling gains an allow.
 */
import { describe, expect, test } from 'vitest';
import { decodeAnsiC } from '../../../../shared/permissions/shell/syntax/word.ts';
import { commandVerdict } from '../support.ts';

const RULES = [
  ['deny', 'Bash(rm:*)'],
  ['allow', 'Bash(echo:*)'],
  ['allow', 'Bash(ls:*)'],
  ['allow', 'Bash(true)'],
] as const;

describe('a word in quotes and escapes', () => {
  test.each([
    ...[
      "'rm' x",
      '"rm" x',
      "r'm' x",
      'r"m" x',
      "''rm x",
      'r\\m x',
      '\\rm x',
      '"r\\\nm" x',
      'r\\\nm x',
      "$'rm' x",
      '$"rm" x',
    ],
    ...[
      "$'r\\155' x",
      "$'\\162\\155' x",
      "$'\\x72\\x6d' x",
      "$'\\x72m' x",
      "$'\\u0072m' x",
      "$'\\u72\\u6d' x",
      "$'\\U00000072m' x",
    ],
    ...[
      "$'\\U72'm x",
      "$'r''m' x",
      "r$'\\155' x",
      '$\'\\162\'"m" x',
      '/bin/rm x',
      '../bin/rm x',
      '/bin//rm x',
      '"/bin/rm" x',
      'RM x',
    ],
    ...[
      'rm\tx',
      '  rm x',
      'rm;',
      '(rm)',
      '{rm,x}',
      '{r,}m x',
      'r{m,n} x',
      '${X:-rm} x',
      'X=rm; $X x',
      'X=r; ${X}m x',
      'IFS=,; rm x',
    ],
  ])('%s', (command) => expect(commandVerdict(command, RULES)).not.toBe('allow'));

  test.each([
    ...[
      "'rm' x",
      '"rm" x',
      "r'm' x",
      'r\\m x',
      'r\\\nm x',
      "$'rm' x",
      "$'r\\155' x",
      "$'\\162\\155' x",
      "$'\\x72\\x6d' x",
    ],
    ...[
      "$'\\u0072m' x",
      "$'\\U00000072m' x",
      "$'\\x72m' x",
      '$"rm" x',
      '/bin/rm x',
      '"/bin/rm" x',
      '{rm,x}',
      'X=rm; $X x',
      'RM x',
    ],
    ...[
      "$'\\162'm x",
      'rm;',
      "$'\\u72m' x",
      "$'\\U72m' x",
      'rm.exe x',
      '\uff52m x',
      'r\u200bm x',
      'X=r; ${X}m x',
      'a=r b=m; $a$b x',
    ],
  ])('%s is heard', (command) => expect(commandVerdict(command, RULES)).toBe('deny'));

  test.each([
    ['a', 'a'],
    ['\\a\\b\\e\\E\\f\\n\\r\\t\\v', '\u0007\b\u001b\u001b\f\n\r\t\v'],
    ['\\\'\\"\\\\\\?', '\'"\\?'],
    ['\\1012', 'A2'],
    ['\\7', '\u0007'],
    ['\\777', '\u00ff'],
    ['\\8', '\\8'],
    ['\\x41g', 'Ag'],
    ['\\x414', 'A4'],
    ['\\xg', '\\xg'],
    ['\\x', '\\x'],
    ['\\u00e9', '\u00e9'],
    ['\\u00e90', '\u00e90'],
    ['\\U0001f600', '\u{1f600}'],
    ['\\U00110000', '\ufffd'],
    ['\\U0010ffff', '\u{10ffff}'],
    ['\\ca\\cA', '\u0001\u0001'],
    ['\\c', '\\c'],
    ['\\z\\', '\\z\\'],
  ])("what stands within $'%s'", (written, text) => expect(decodeAnsiC(written)).toBe(text));
});

describe('a command within', () => {
  test.each([
    ...[
      'echo `rm x`',
      'echo "`rm x`"',
      'echo `echo \\`rm x\\``',
      'echo "$(rm x)"',
      'echo $(echo $(rm x))',
      'echo "${a:-$(rm x)}"',
    ],
    ...[
      'echo ${a:-`rm x`}',
      'echo $((1 + $(rm x)))',
      'a[$(rm x)]=1',
      'a=($(rm x))',
      'a=(1 $(rm x))',
      'a=$(rm x) ls',
      'ls > $(rm x)',
    ],
    ...[
      'ls < <(rm x)',
      'ls <<E\n$(rm x)\nE',
      'ls <<E\n`rm x`\nE',
      'ls <<-E\n\t$(rm x)\n\tE',
      'ls <<< $(rm x)',
      'case $(rm x) in *) ls;; esac',
    ],
    ...[
      'case a in $(rm x)) ls;; esac',
      'case a in a) rm x;; esac',
      'case a in b|a) ls; rm x;; esac',
      'for i in $(rm x); do ls; done',
    ],
    ...[
      'for i in 1; do rm x; done',
      'for ((i=0;i<$(rm x);i++)); do ls; done',
      'for ((;;)); do rm x; done',
      'while rm x; do ls; done',
    ],
    ...[
      'until rm x; do ls; done',
      'if rm x; then ls; fi',
      'if ls; then rm x; fi',
      'if ls; then ls; elif rm x; then ls; fi',
    ],
    ...[
      'if ls; then ls; else rm x; fi',
      'select i in a; do rm x; done',
      'f() { rm x; }',
      'f() { rm x; }; f',
      'function f { rm x; }',
    ],
    ...[
      '{ rm x; }',
      '( rm x )',
      '! rm x',
      'ls | rm x',
      'rm x | ls',
      'ls && rm x',
      'ls || rm x',
      'ls & rm x',
      'ls; rm x',
      'ls\nrm x',
    ],
    ...[
      '[[ -n $(rm x) ]]',
      '[ -n $(rm x) ]',
      'test -n $(rm x)',
      '[[ a == $(rm x) ]]',
      '(( $(rm x) ))',
      'let "a=$(rm x)"',
    ],
    ...[
      'export A=$(rm x)',
      'declare -a A=($(rm x))',
      'local A=`rm x`',
      'readonly A=$(rm x)',
      'unset $(rm x)',
      'coproc rm x',
      'time rm x',
    ],
    ...[
      'ls 2>&1 | rm x',
      'ls > x rm && rm x',
      '> x rm y',
      '< x rm y',
      '2>&1 rm x',
      'A=1 rm x',
      'A=1 B=2 rm x',
      'ls |& rm x',
      '! ls | rm x',
    ],
    ...[
      'find . -exec rm {} \\;',
      'find . -exec rm {} +',
      'find . -execdir rm {} ";"',
      'find . -ok rm {} \\;',
      'gfind . -okdir rm {} \\;',
    ],
    ...[
      'bfs . -exec rm {} \\;',
      'fd . -x rm',
      'fd . -X rm',
      'fdfind . --exec rm',
      'fd . --exec=rm',
      'fd . --exec-batch rm {}',
    ],
    ...[
      'eval rm x',
      'eval "rm x"',
      "eval 'rm' x",
      'trap "rm x" EXIT',
      'trap -- "rm x" EXIT',
      'alias a="rm x"',
      'complete -C "rm x" y',
    ],
    ...['compgen -C "rm x"', 'exec rm x', 'command rm x'],
    ...[
      'npx rm x',
      'npm exec rm x',
      'npm exec -- rm x',
      'docker run i rm x',
      'kubectl exec p -- rm x',
      'ssh h rm x',
      'ssh -p 2 h "rm x"',
    ],
    ...[
      'tmux new-session "rm x"',
      'screen rm x',
      'poetry run rm x',
      'bundle exec rm x',
      'git rebase -x "rm x"',
      'git bisect run rm x',
    ],
    ...[
      'git submodule foreach rm x',
      'git -c core.pager="rm x" log',
      'git -c alias.a="!rm x" a',
      'git filter-branch --tree-filter "rm x"',
    ],
    ...[
      'tar --to-command="rm x" -xf a',
      'tar -I "rm x" -xf a',
      'tar --checkpoint-action=exec="rm x" -cf a b',
      'rsync -e "rm x" a b',
    ],
    ...[
      'sort --compress-program="rm x" a',
      'rg --pre "rm x" a',
      'man -P "rm x" ls',
      'zip -TT "rm x" a b',
      'split --filter="rm x" a',
    ],
    ...[
      'vim -c "!rm x"',
      'ssh -o ProxyCommand="rm x" h',
      'scp -S "rm x" a b',
      'make SHELL="rm x"',
      'at now <<< "rm x"',
      'xargs rm < f',
    ],
    ...['printf "rm x" | sh', "printf '%s' 'rm x' | sh", 'echo rm x | bash -s', 'echo -e "rm x" | sh'],
    ...[
      'ls <<E | rm x\na\nE',
      'ls <<E && rm x\na\nE',
      'ls <<E; rm x\na\nE',
      "ls <<'E'; rm x\n$(ls)\nE",
      'cat <<A <<B; rm x\na\nA\nb\nB',
    ],
    ...['ls <<E\n${a:-`rm x`}\nE', 'ls <<E\n$((`rm x`))\nE', 'ls <<E\na\n`rm x` b\nE', 'ls <<-E\n\t`rm x`\n\tE'],
    ...['ls <<-E\n\t${a:-$(rm x)}\nE', 'ls <<-E\n\t\t$(rm x)\nE', 'ls <<E\n\\\\`rm x`\nE', "ls <<E\n'`rm x`'\nE"],
    ...['[[ -n `rm x` ]]', 'for i in `rm x`; do ls; done', 'a=(`rm x`)', 'ls > `rm x`', 'case `rm x` in *) ls;; esac'],
    ...[
      'case a in `rm x`) ls;; esac',
      'ls <<< `rm x`',
      '(( `rm x` ))',
      'for ((i=`rm x`;;)); do ls; done',
      'ls ${a[`rm x`]}',
    ],
    ...[
      'ls ${a/`rm x`/b}',
      'ls "${a:-`rm x`}"',
      '[[ $a =~ `rm x` ]]',
      'ls $[`rm x`]',
      'declare a=`rm x`',
      'ls {a,`rm x`}',
    ],
    ...[
      'ls "${a:-"`rm x`"}"',
      'ls ${a:-$(rm x)}',
      'ls "${a/x/$(rm x)}"',
      'ls $[$(rm x)]',
      'a=${b:=`rm x`} ls',
      'ls ${a:+`rm x`}',
    ],
  ])('%s', (command) => {
    const denied = commandVerdict(command, [
      ...RULES,
      ['allow', 'Bash(cat:*)'],
      ['allow', 'Bash(find:*)'],
      ['allow', 'Bash(git:*)'],
    ]);
    expect(denied).toBe('deny');
  });
});

describe('code that is handed on', () => {
  test.each([
    ...[
      'PROMPT_COMMAND="rm x"',
      'bind -x "a:rm x"',
      'source <(echo rm x)',
      'crontab <<E\n* * * * * rm x\nE',
      'BASH_ENV=x ls',
    ],
  ])('%s is not allowed', (command) =>
    expect(commandVerdict(command, [...RULES, ['allow', 'Bash']])).not.toBe('allow'),
  );
});

describe('a here-document whose words are quoted, or whose characters are, runs nothing', () => {
  test.each([
    "ls <<'E'\n`rm x`\nE",
    'ls <<"E"\n$(rm x)\nE',
    'ls <<\\E\n`rm x`\nE',
    'ls <<E\nuse \\`rm x\\`\nE',
    'ls <<E\n$x ${y} a\nE',
  ])('%s', (command) => expect(commandVerdict(command, RULES)).toBe('allow'));
});

describe('what is not one', () => {
  test.each([
    ...[
      'echo rm x',
      "echo 'rm x'",
      'echo "rm x"',
      "echo '$(rm x)'",
      'echo "\\$(rm x)"',
      "echo '`rm x`'",
      "ls <<'E'\n$(rm x)\nE",
      'ls # rm x',
    ],
    ...[
      'ls rm',
      'ls \\; rm',
      'echo a\\&\\&rm',
      'ls --rm',
      'echo $((1+1)) | true',
      'ls x=rm',
      'command -v rm',
      'command -V rm',
    ],
  ])('%s', (command) => expect(commandVerdict(command, RULES)).not.toBe('deny'));
});
