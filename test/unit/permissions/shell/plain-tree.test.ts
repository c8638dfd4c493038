/**
 * Checks which texts are read without the parser, and that the parser gives the same trees.
 *
 * A property tries many more texts.
 */
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { Language, type Node, Parser } from 'web-tree-sitter';
import { plainTree } from '../../../../shared/permissions/shell/syntax/plain-tree.ts';
import type { ShellNode } from '../../../../shared/permissions/shell/syntax/tree.ts';

await Parser.init();
const parser = new Parser();
const grammar = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
parser.setLanguage(await Language.load(grammar));

const nodeOf = (node: Node): ShellNode => ({
  // To the analysis a number is a word like any other.
  type: node.type === 'number' ? 'word' : node.type,
  named: node.isNamed,
  start: node.startIndex,
  end: node.endIndex,
  children: node.children.flatMap((child) => (child === null ? [] : [nodeOf(child)])),
});

test.each([
  ...['a', 'a b', 'az AZ a09', 'a-b.c/d_e', 'a z', 'A Z', 'a 0a', 'a x9', 'a -', 'a .', 'a _x', 'a  b  ', 'a '],
  ...['a "b"', "a 'b'", 'a ""', "a ''", 'a "b c" d', 'a "~ }{ * ( \' x"', "a '$x `y` \\ ! \"'", 'a "b";', 'a "x"|b'],
  ...['a;', 'a; b', 'a;b;', 'a | b', 'a|b|c', 'a && b', 'a||b', 'a && b || c && d', 'a | b && c | d; e', "a 'x'&&b;c"],
  ...['a *', 'a *.ts src/**/x?', 'a :', 'a ,', 'a @', 'a b=c --d=e', 'a b:c,d@e%f+g', 'a ?=*', 'a * | b ?'],
  ...['a $x', 'a $x/b', 'a $HOME/*.ts $x_1', 'a "$x"', 'a "$x/b.c" "$y"', 'a $x;b $y', 'a $x|b', 'a "$x"&&b'],
  ...['a {}', 'a {} b', 'a \\;', 'a . -exec b {} \\;', 'a {};b', 'a \\;;'],
  ...["'a' b", "'if' 'a'", "'a b'|'c' \"d\"", "'' a"],
  ...['a "$x"y', 'a "$x":/b', 'a b$x', 'a $x.b', 'a $x$y', 'a "x"y', "a 'x'y", 'a x"y"', 'a --b="c d"e', 'a x""'],
  ...['a x"$y/z"', 'a \'b\'"c"', 'a -f"x y"z.t', 'a x*"y"', 'a "x"-y'],
  ...['a > b', 'a <b', 'a>b', 'a >>b', 'a 2>&1', 'a 2>/dev/null', 'a >&2', 'a 1>&2', 'a 2>>b', 'a > b 2>&1', 'a b2>c'],
  ...[
    'a > b | c',
    'a 2>&1 | b | c',
    'a > b && c | d; e',
    'a; b >c; d',
    'a "b">c',
    'a $x>b',
    'a * > b;',
    'a >b;c >d || e',
  ],
  `a ${'b'.repeat(398)}`,
])('read without the parser: %j', (text) => {
  expect(plainTree(text)?.root).toEqual(nodeOf(parser.parse(text)?.rootNode as Node));
});

test.each([
  ...[
    '',
    ' ',
    ';',
    '|',
    'a &',
    'a & b',
    'a && ',
    'a |',
    'a ||',
    '; a',
    '| a',
    'a ;; b',
    'a ; ; b',
    'a |& b',
    'a ||| b',
  ],
  ...['a &&& b', 'a |; b', 'a &&; b', '"a" b', 'if a', 'a; then b', 'time a', 'test a', 'a | in'],
  ...['a "$x y"', 'a "y $x"', 'a "$x$y"', 'a "${x}"', 'a "$1"', 'a "$_"', 'a "$@"', 'a "$"', 'a "$x'],
  ...['a $', 'a $1', 'a $_', 'a $@', 'a $?', 'a $x-1', 'a ${x}', 'a $(x)', '$x', '"$x"'],
  ...['a {', 'a {a,b}', 'a {}b', 'a b{}', 'a \\', 'a \\;b', '*', 'a= b', 'a=b c', 'a* b', 'a =b', 'a ==', '- a=b'],
  ...['a "`x`"', 'a "\\x"', 'a "!x"', 'a " x"', "a ' x'", 'a "x', "a 'x", 'a "x"5', "a 5'x'", 'a -5"x"'],
  ...['a "\u00e9"', 'a "\u007f"', 'a "\n"', "a '\t'", '`a', 'a [', 'a=b', 'a\tb', 'a\nb'],
  ...['a > b c', 'a # b', '\u00e9', 'a ~', 'a \\b', '(a)', 'a <<b', 'a "x"(', "a 'x'#"],
  ...[
    'a | b > c',
    'a && b >c',
    'a 2 >b',
    'a -2 > b',
    'a > 5',
    'a > "b"',
    'a > $b',
    'a >| b',
    'a &> b',
    'a >& b',
    'a >&-',
  ],
  ...[
    'a >',
    'a > ;',
    'a 2>&',
    'a 2>&12',
    'a 2>&1b',
    'a > b"c"',
    '> b',
    'a; > b',
    'a <<<b',
    'a <(b)',
    'a 12>b',
    'a 0<b',
    'a 0> b',
    'a >b&',
    'a > -5',
  ],
  `a ${'b'.repeat(399)}`,
])('left to the parser: %j', (text) => expect(plainTree(text)).toBeUndefined());
