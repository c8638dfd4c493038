/** Checks how a command is printed from the gate's own reading, and which are not printed (D44). */
import { describe, expect, test } from 'vitest';
import { analyseCommand } from '../../../../shared/permissions/shell/analysis/analyse.ts';
import { canonicalCommand, isSameReading } from '../../../../shared/permissions/shell/printing/canonical.ts';
import { shell } from '../support.ts';

const ROOT = '/workspace/app';
const PLACE = { cwd: ROOT, projectRoot: ROOT, home: '/home/agent' };
const reading = (text: string) => analyseCommand(text, shell, PLACE);

describe('a command is printed', () => {
  test.each<[string, string]>([
    // Words
    ['git status', "'git' 'status'"],
    ["\\git  'st'atus --x=y # a comment", "'git' 'status' '--x=y'"],
    ['if_x alias', "'if_x' 'alias'"],
    [`echo "it's" '' ""`, "'echo' 'it'\\''s' '' ''"],
    ['echo a\\ b "c\\"d" \\$x', "'echo' 'a b' 'c\"d' '$x'"],
    ['echo "a\tb" "c\nd"', "'echo' 'a\tb' 'c\nd'"],
    ['echo ]a !b ^c %d @e {f} g}', "'echo' ']a' '!b' '^c' '%d' '@e' '{f}' 'g}'"],
    ['docker run \\\n  -it x', "'docker' 'run' '-it' 'x'"],
    ['find . -name "*.ts" -exec cat {} \\;', "'find' '.' '-name' '*.ts' '-exec' 'cat' '{}' ';'"],
    ['echo \u00e9\u4e2d', "'echo' '\u00e9\u4e2d'"],
    // Patterns, braces, tildes
    ['ls *.ts src/?/[a-c]*x', "'ls' *'.ts' 'src/'?'/'[a-c]*'x'"],
    ['ls [!a]b "*"*', "'ls' [!a]'b' '*'*"],
    ['cp a.{js,d.ts} {b,c}', "'cp' 'a.js' 'a.d.ts' 'b' 'c'"],
    ['ls src/{a,b}/*.ts {$x,y}', "'ls' 'src/a/'*'.ts' 'src/b/'*'.ts' ${x} 'y'"],
    ['ls ~ ~/x ~bob/y a~ HEAD~1', "'ls' ~ ~/'x' ~bob/'y' 'a~' 'HEAD~1'"],
    // Expansions and substitutions
    ['echo $x "$x" "a${y}b" $? "$@" $1', '\'echo\' ${x} "${x}" \'a\'"${y}"\'b\' $? "$@" ${1}'],
    ['echo $(date) "`a b`" x$(c)', "'echo' $( 'date' ) \"$( 'a' 'b' )\" 'x'$( 'c' )"],
    ['echo $( (a; b) )', "'echo' $( ( 'a'; 'b' ) )"],
    ['X=1 Y="$z" cmd', "X='1' Y=\"${z}\" 'cmd'"],
    ['X= Y=~/a Z={a,b}', "X='' Y=~/'a' Z='{a,b}'"],
    ['export A=b C="$d"', 'export A=\'b\' C="${d}"'],
    ['unset X Y', "'unset' 'X' 'Y'"],
    // Lists and groups
    ['a | b && c || d; e & f', "'a' | 'b' && 'c' || 'd'; 'e' & 'f'"],
    ['a\nb\n\nc', "'a'; 'b'; 'c'"],
    ['a &&\n  b |\n  c', "'a' && 'b' | 'c'"],
    ['! a | b', "! 'a' | 'b'"],
    ['a |& b', "'a' 2>&1 | 'b'"],
    ['(a; b) && { c; d; }', "( 'a'; 'b' ) && { 'c'; 'd'; }"],
    ['{ a & } ; (b &)', "{ 'a' & }; ( 'b' & )"],
    // Constructs
    ['if a; then b; elif c; then d; else e; fi', "if 'a'; then 'b'; elif 'c'; then 'd'; else 'e'; fi"],
    ['while a; do b; done', "while 'a'; do 'b'; done"],
    ['until a; do b & done', "until 'a'; do 'b' & done"],
    ['for x in a *.b {c,d} "$e"; do\n  f "$x"\ndone', "for x in 'a' *'.b' 'c' 'd' \"${e}\"; do 'f' \"${x}\"; done"],
    ['case "$x" in a|b*) c ;; (d) ;; *) e; f;; esac', "case \"${x}\" in 'a'|'b'*) 'c' ;; 'd') ;; *) 'e'; 'f' ;; esac"],
    // Tests are words of a program
    ['[ -f x || y ]', "'[' '-f' 'x' '||' 'y' ']'"],
    ['[ -d "$HOME/x" ] && [ $a -eq 3 ]', "'[' '-d' \"${HOME}\"'/x' ']' && '[' ${a} '-eq' '3' ']'"],
    ['test -f x', "'test' '-f' 'x'"],
    // Redirections
    ['a > b 2>&1 < c >> d', "'a' > 'b' 2>&1 < 'c' >> 'd'"],
    ['a > b c d', "'a' 'c' 'd' > 'b'"],
    ['a &> b; a &>> b; a >& b', "'a' > 'b' 2>&1; 'a' >> 'b' 2>&1; 'a' > 'b' 2>&1"],
    ['a 2>/dev/null >&- >| "b c"', "'a' 2> '/dev/null' >&- >| 'b c'"],
    ['(a; b) > c', "( 'a'; 'b' ) > 'c'"],
    ['a && b > c', "'a' && 'b' > 'c'"],
    // Here-documents
    ["cat <<'E' > f x\n$y `z`\nE\n", "'cat' 'x' <<'E' > 'f'\n$y `z`\nE\n"],
    ['cat <<E\nplain\nE\nb', "'cat' <<'E'\nplain\nE\n'b'"],
    ['cat <<E\n\n  x\nE', "'cat' <<'E'\n\n  x\nE\n"],
    ['cat <<E\n\nE', "'cat' <<'E'\n\nE\n"],
    ['cat "$(cat <<A\na\nA\n)" <<B\nb\nB', "'cat' \"$( 'cat' <<'A'\na\nA\n)\" <<'B'\nb\nB\n"],
    ['while read x; do a; done <<E\n1\nE', "while 'read' 'x'; do 'a'; done <<'E'\n1\nE\n"],
    [
      "git commit -m \"$(cat <<'EOF'\nit's\n\nmore\nEOF\n)\" && git push",
      "'git' 'commit' '-m' \"$( 'cat' <<'EOF'\nit's\n\nmore\nEOF\n)\" && 'git' 'push'",
    ],
    ['if a; then cat <<E\nx\nE\nfi', "if 'a'; then 'cat' <<'E'\nx\nE\nfi"],
    // `time` is no program to bash
    ['time make x', "time 'make' 'x'"],
    ["'time' -p x", "'time' '-p' 'x'"],
    // The parser reads a word there.
    ['a {fd}> b', "'a' '{fd}' > 'b'"],
  ])('%j', (text, printed) => {
    const found = canonicalCommand(text, shell);
    expect(found).toBe(printed);
    expect(canonicalCommand(printed, shell)).toBe(printed);
    expect(isSameReading(reading(text), reading(printed))).toBe(true);
  });
});

describe('a command is not printed', () => {
  test.each<[string, readonly string[]]>([
    ['that only bash knows', ['[[ -f x ]]', 'a <<< b', 'diff <(a) <(b)', 'echo {1..3}', 'a=(1 2)', 'a+=b', 'coproc a']],
    ['whose arithmetic is evaluated', ['echo $((1+2))', '((x++))', 'for ((;;)); do a; done', '[[ x -eq 1 ]]']],
    ['with operators in an expansion', ['echo ${x:-y}', 'echo ${x%.*}', 'echo ${!x}', 'echo ${#x}', 'echo ${x[0]}']],
    [
      'with a word of several readings',
      ['make X=~/a', 'echo ~+', 'echo ~"x"', 'ls [^a]', 'ls [[:alpha:]]', 'ls a[', 'ls []'],
    ],
    ['with empty quotes beside an expansion', ['echo $x""', "echo ''$(a)"]],
    [
      'that makes names',
      [
        'alias a=b',
        "'alias' a=b; a",
        'f() { a; }',
        'function f { a; }',
        'select x in a; do b; done',
        'for x; do a; done',
      ],
    ],
    ['with unusual redirections', ['a 10> b', 'a > *.x', 'a > $x', 'a <> b', '> b', 'a > {b,c}', 'export A=$x']],
    [
      'with an unusual here-document',
      [
        'cat <<E\n$x\nE',
        'cat <<E | b\nx\nE',
        'a <<E & b\nx\nE',
        "cat <<'a b'\nx\na b",
        'cat <<-E\n\tx\n\tE',
        'cat <<E\nx',
      ],
    ],
    ['that does not parse', ['a &&', 'a )', '"a', 'if a', '', ' ', '# only', 'if', 'a; then b']],
    ['with an option of time', ['time -p a', 'time X=1 a', 'time $x', 'time']],
    ['with control characters', ["echo $'\\x01'", 'echo \u0007', "echo $'\\0'", '`a \\`b\\``']],
    ['that is too long', [`echo ${'a '.repeat(3_000)}`]],
  ])('%s', (_, texts) => {
    for (const text of texts) expect([text, canonicalCommand(text, shell)]).toEqual([text, undefined]);
  });
});

describe('another reading', () => {
  test.each<[string, string]>([
    ['a b', "'a b'"],
    ['a *', "'a' '*'"],
    ['a ~/b', "'a' '~/b'"],
    ['a | b', "'a'; 'b'"],
    ['cd src; a', "'a'"],
    ['a > b', "'a' > 'c'"],
    ['a > b', "'a' < 'b'"],
    ['X=1 a', "X='2' 'a'"],
    ['a <<E\nx\nE', "'a' <<'E'\ny\nE\n"],
    ['a $x', "'a' ${x} 'b'"],
  ])('%j is not %j', (one, other) => {
    expect(isSameReading(reading(one), reading(other))).toBe(false);
  });
});
