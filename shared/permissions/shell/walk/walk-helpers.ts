/** Names node kinds, and reads small parts of a shell tree for the walk over it. */
import { isReadByPrograms } from '../../programs/catalogue/names/variables.ts';
import type { WorkBudget } from '../syntax/budget.ts';
import type { Assignment, Stdin } from '../syntax/command.ts';
import { type Field, fieldOf, literalField } from '../syntax/fields.ts';
import type { CommandPlace } from '../syntax/shell-parser.ts';
import type { ShellNode } from '../syntax/tree.ts';
import { type Atom, readWord, UNREAD, type WordReader, walkSubstitutions } from '../syntax/word.ts';
import { builtinWords } from './builtin-words.ts';

export interface WalkOptions extends CommandPlace {
  /** The text is code within another text, which may have set any of its variables. */
  readonly isWithin?: boolean | undefined;
  /** Shared by all walks of one command. */
  readonly budget: WorkBudget;
}

export const CONTAINERS: ReadonlySet<string> = new Set([
  'program',
  'compound_statement',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'do_group',
  'negated_command',
  'variable_assignments',
]);
/** Words that name no command at its beginning: a shell reads a construct there, or refuses the whole text. */
export const NO_COMMANDS: ReadonlySet<string> = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'select', 'while', 'until', 'do', 'done', 'case', 'esac', 'function'],
  ...['{', '}', '[['],
]);
export const WORDS: ReadonlySet<string> = new Set([
  'word',
  'number',
  'string',
  'raw_string',
  'ansi_c_string',
  'translated_string',
  'concatenation',
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
  'brace_expression',
  'variable_name',
  'special_variable_name',
]);
export const LOOPS: ReadonlySet<string> = new Set(['while_statement', 'do_group']);

/** Nodes that a shell reads from one line: only blanks part their words. */
const ONE_LINE: ReadonlySet<string> = new Set([
  ...['command', 'declaration_command', 'unset_command', 'redirected_statement', 'file_redirect'],
  ...['herestring_redirect', 'unary_expression', 'binary_expression', 'parenthesized_expression', 'test_command'],
]);

/** A doubt about a text whose commands are read word by word, too. */
export const JOINED = 'words that the parser joined across a line, or parted at an escaped blank';

/**
 * Behind a pipe of three the parser takes the next line for more words of the last command (`a | b | c⏎./d && e`), and it skips escaped
 * blanks. Within `[[ … ]]` a line may end.
 */
export function joinsLines({ type, children }: ShellNode, text: string): boolean {
  const [first] = children;
  const isLine = ONE_LINE.has(type) && first?.type !== '[[';
  let before = first;
  return children.some((child) => {
    const end = before?.type === 'heredoc_redirect' ? child.start : (before?.end ?? 0);
    before = child;
    if (isLine) for (let at = end; at < child.start; at++) if (text[at] !== ' ' && text[at] !== '\t') return true;
    return child.children.length > 0 && joinsLines(child, text);
  });
}

/** The members of `a && b || c` that run together. A member behind `&&` runs after the one before it has worked; one behind `||` does not. */
export function groupsOf(list: ShellNode): { readonly operator: string; readonly nodes: ShellNode[] }[] {
  const groups: { readonly operator: string; readonly nodes: ShellNode[] }[] = [];
  let before = '';
  let operator = '';
  for (const child of flat(list)) {
    if (!child.named) operator = child.type;
    else if (before === '&&' && operator === '&&') groups.at(-1)?.nodes.push(child);
    else groups.push({ operator, nodes: [child] });
    if (child.named) before = operator;
  }
  return groups;
}

function flat({ children }: ShellNode): readonly ShellNode[] {
  const [first, ...others] = children;
  return first?.type === 'list' ? [...flat(first), ...others] : children;
}

/** Splits an `if` into the commands that always run, those behind `then`, and the rest. */
export function alternativesOf(children: readonly ShellNode[]): readonly [ShellNode[], ShellNode[], ShellNode[]] {
  const then = children.findIndex(({ type }) => type === 'then');
  if (then < 0) return [[...children], [], []];
  const end = children.findIndex(({ type }, at) => at > then && (type.endsWith('_clause') || type === 'fi'));
  return [children.slice(0, then), children.slice(then, end), children.slice(end)];
}

/** `cd a && b > c`: the parser gives the redirection to the whole list, and a shell to its last command, which runs in `a`. */
export function withRedirects(body: ShellNode, redirects: readonly ShellNode[]): ShellNode {
  const last = body.children.findLastIndex((child) => child.named && child.type !== 'comment');
  const children = body.children.map((child, at) =>
    at === last
      ? {
          ...child,
          type: 'redirected_statement',
          end: redirects.at(-1)?.end ?? child.end,
          children: [child, ...redirects],
        }
      : child,
  );
  return { ...body, children };
}

/** The name or subscript that an assignment gives a value to. */
export function assignedNode(node: ShellNode): ShellNode | undefined {
  return node.children.find((child) => child.type === 'variable_name' || child.type === 'subscript');
}

export function unescapeBackticks(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1];
    if (text[at] === '\\' && (next === '`' || next === '$' || next === '\\')) at += 1;
    result += text[at];
  }
  return result;
}

export function isDescriptor(text: string): boolean {
  return text === '-' || [...text].every((char) => char >= '0' && char <= '9');
}

export function hasOperator(node: ShellNode): boolean {
  return node.children.some(
    (child) =>
      (child.type === 'expansion' && child.children.length !== 3) ||
      child.type === 'arithmetic_expansion' ||
      hasOperator(child),
  );
}

/** The words within `[[ … ]]` and `[ … ]`, operators among them. */
export function testFields(node: ShellNode, reader: WordReader): Field[] {
  return node.children.flatMap((child) => {
    if (WORDS.has(child.type)) return [fieldOf(readWord(child, reader))];
    return child.children.length === 0
      ? [literalField(reader.text.slice(child.start, child.end))]
      : testFields(child, reader);
  });
}

/** A comparison of numbers evaluates its words: subscripts run substitutions. */
export function isArithmeticTest(fields: readonly Field[]): boolean {
  const compares = fields.some((field) => ['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R'].includes(field.text));
  return compares && fields.some((field) => !field.isKnown || field.text.includes('['));
}

export const NOT_PARSED = 'the command does not parse';

/** A doubt about a text that is then read word by word, too. */
export const EVALUATED = 'a name or number that the shell evaluates';

/** Doubts about a test. Quotes hide a substitution from the parser, and not from the evaluation. */
export function testDoubts(fields: readonly Field[]): readonly string[] {
  if (!isArithmeticTest(fields)) return [];
  return fields.some(({ text }) => text.includes('$(') || text.includes('`')) ? [EVALUATED] : ['arithmetic'];
}

const OPERATOR_CHARACTERS = '|&<>;()\n`';

/** A shell ends the command at an operator within `[ … ]`, and one without `[[` within `[[ … ]]`, too. */
function hasTestOperator(node: ShellNode, text: string, double: boolean): boolean {
  return node.children.some((child) => {
    if (WORDS.has(child.type)) return false;
    if (child.children.length > 0) return hasTestOperator(child, text, double);
    const written = text.slice(child.start, child.end);
    // `[[ -d a && -f b ]]`: a shell without `[[` would look for a program named `-f`.
    const isJoined = double && (written === '&&' || written === '||') && isTestBehind(text, child.end);
    return !isJoined && [...written].some((char) => OPERATOR_CHARACTERS.includes(char));
  });
}

function isTestBehind(text: string, at: number): boolean {
  let start = at;
  while (text[start] === ' ') start++;
  return text[start] === '-' && (text[start + 1] ?? ' ') >= 'a' && text[start + 2] === ' ';
}

/** Why a shell may not take a test for one: an operator in it, or no blank beside a bracket (`[[x` is a plain word). */
export function testFormDoubts(node: ShellNode, text: string): readonly string[] {
  const written = text.slice(node.start, node.end);
  const length = written.startsWith('[[') ? 2 : 1;
  const isApart = ' \t'.includes(written[length] ?? 'x') && ' \t'.includes(written.at(-1 - length) ?? 'x');
  const closes = written.endsWith(']'.repeat(length));
  // A newline between the words ends the command where `[` is a command.
  const isOneLine = !betweenWords(node, text).includes('\n');
  return isApart && closes && isOneLine && !hasTestOperator(node, text, length === 2) ? [] : [SHELL_TEST];
}

const SHELL_TEST = 'a test that a shell may read as commands';

/** The text of a node without that of its words. */
function betweenWords(node: ShellNode, text: string): string {
  let result = '';
  let at = node.start;
  for (const child of node.children) {
    result += text.slice(at, child.start) + (WORDS.has(child.type) ? '' : betweenWords(child, text));
    at = child.end;
  }
  return node.children.length === 0 ? text.slice(node.start, node.end) : result + text.slice(at, node.end);
}

/** `a &> f b`: a shell without `&>` runs `a` in the background, and then `b`. */
export function hasWordsBehindBoth(children: readonly ShellNode[], text: string): boolean {
  const both = children.find(
    (child) => child.type.endsWith('_redirect') && child.children.some(({ type }) => type === '&>' || type === '&>>'),
  );
  if (both === undefined) return false;
  const target = both.children.findLast((child) => child.named);
  const more = both.children.filter((child) => child.named && child.type !== 'file_descriptor').length > 1;
  const end = target?.end ?? both.end;
  return (
    more ||
    children.some((child) => child.start > end && child.type !== 'comment' && text.slice(child.start, child.end) !== '')
  );
}

interface Heredoc {
  readonly body: ShellNode | undefined;
  /** The shell expands nothing in it. */
  readonly quoted: boolean;
  readonly doubts: readonly string[];
}

export function readHeredoc(node: ShellNode, text: string): Heredoc {
  const child = (type: string) => node.children.find((each) => each.type === type);
  const doubts: string[] = [];
  const last = child('heredoc_end');
  const after = last === undefined ? undefined : text[last.end];
  if (last === undefined || (after !== undefined && after !== '\n'))
    doubts.push('a here-document without an end of its own');
  const start = child('heredoc_start');
  const delimiter = start === undefined ? '' : text.slice(start.start, start.end);
  if (delimiter.includes('$') || delimiter.includes('`')) doubts.push('a here-document with an unusual delimiter');
  const quoted = ["'", '"', '\\'].some((char) => delimiter.includes(char));
  const body = child('heredoc_body');
  if (body !== undefined && !quoted && hasUnread(body, text)) doubts.push(UNREAD);
  return { body, quoted, doubts };
}

/** Substitutions in the plain text of a here-document: the parser reads no backtick there, and no dollar where the body begins. */
function hasUnread(body: ShellNode, text: string): boolean {
  const read = body.children.filter((child) => child.type !== 'heredoc_content');
  let next = 0;
  for (let at = body.start; at < body.end; at++) {
    const inside = read[next];
    if (inside !== undefined && inside.start <= at) {
      at = Math.max(at, inside.end) - 1;
      next++;
    } else if (text[at] === '\\') at += 1;
    else if (text[at] === '`' || (text[at] === '$' && '({['.includes(text[at + 1] ?? ' '))) return true;
  }
  return false;
}

/** `time A=1`: a program of that name where `time` is one, too, as behind a pipe; otherwise an assignment of this shell. */
export function timesAssignment(argv: readonly Field[]): boolean {
  if (argv[0]?.text !== 'time') return false;
  const word = argv.find(({ text }, at) => at > 0 && text !== 'time' && text !== '!' && !text.startsWith('-'));
  return word !== undefined && /^\w+\+?=/.test(word.text);
}

/** `exec <<< CODE`, `exec < FILE`: a redirection of the shell itself, which all later commands read. */
export function givesInput(words: readonly Field[], stdin: Stdin): boolean {
  if (stdin.kind === 'inherited' || stdin.kind === 'pipe') return false;
  // Another descriptor than that of the input.
  if (stdin.kind === 'file' && stdin.target === undefined) return false;
  return words.some(({ text }) => text === 'exec') && builtinWords(words).argv.every(({ isKnown }) => !isKnown);
}

/** A loop's variable that programs read runs or loads what it holds, like one that is assigned. */
export const assignedByLoop = (name: string, value: Field | undefined): readonly Assignment[] =>
  isReadByPrograms(name) ? [{ name, value, plain: true, literal: value?.isKnown === true }] : [];

const MAX_LOOP_VALUES = 8;
/** Loops within loops: a body is walked for so many combinations of values at most. */
const MAX_COMBINATIONS = 32;

/** The number of combinations for which a loop's body is walked, value by value; `undefined`: once, with an unknown value. */
export function followed(values: readonly Field[], outside: number): number | undefined {
  const combinations = outside * values.length;
  const few = values.length > 0 && values.length <= MAX_LOOP_VALUES && combinations <= MAX_COMBINATIONS;
  return few && values.every((field) => field.isKnown) ? combinations : undefined;
}

export function assignedName(node: ShellNode, text: string): string {
  const target = assignedNode(node);
  return target === undefined ? '' : text.slice(target.start, target.end);
}

/** `a$1$2`: of a second parameter that is no name the parser leaves the dollar to one node, and the rest to another. */
function joinAtoms(last: Atom[], atoms: readonly Atom[]): void {
  const [dollar, first] = [last.at(-1), atoms[0]];
  const isParameter =
    dollar?.kind === 'char' && !dollar.quoted && dollar.char === '$' && first?.kind === 'char' && !first.quoted;
  if (!isParameter || !'0123456789@*#?!-'.includes(first.char)) return void last.push(...atoms);
  last.splice(-1, 1, { kind: 'var', name: first.char, quoted: false }, ...atoms.slice(1));
}

/** Takes the node as a word of a command, or as more of its last one. */
export function addWord(node: ShellNode, words: (Atom[] | Field)[], touching: boolean, reader: WordReader): void {
  const text = reader.text.slice(node.start, node.end);
  const isWord = WORDS.has(node.type) || node.type === 'command_name';
  if (!isWord && node.named) reader.doubt(`a word of an unknown kind (${node.type})`);
  // `$"…"` comes as a `$` and a string.
  if (!node.named && text === '$') return void words.push([]);
  if (node.named && !isWord) walkSubstitutions(node, reader);
  const atoms = isWord
    ? readWord(node, reader)
    : Array.from(text, (char): Atom => ({ kind: 'char', char, quoted: false }));
  if (touching && words.length > 0) {
    const word = words.at(-1) as Atom[] | Field;
    const last = 'text' in word ? [...word.atoms] : word;
    words[words.length - 1] = last;
    // Two nodes without a blank between them are one word to a shell.
    if (last.length > 0) reader.doubt('two words without a blank between them');
    joinAtoms(last, atoms);
  } else {
    words.push(atoms);
  }
}

/** A file that is read; of another descriptor than 0 the command may make anything. */
export const fileInput = (descriptor: ShellNode | undefined, text: string, target: Field | undefined): Stdin =>
  descriptor === undefined || text.slice(descriptor.start, descriptor.end) === '0'
    ? { kind: 'file', target }
    : { kind: 'file' };
