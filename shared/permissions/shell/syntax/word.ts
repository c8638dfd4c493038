/** Reads a word of the tree into atoms: characters, variables, and what only the shell can know. */
import type { WorkBudget } from './budget.ts';
import type { ShellNode } from './tree.ts';

export type Atom =
  | { readonly kind: 'char'; readonly char: string; readonly quoted: boolean }
  | { readonly kind: 'var'; readonly name: string; readonly quoted: boolean }
  /**
   * Text that only the shell knows: a folder, revision or number (`isOneWord`), or `otherwise` where a variable has no value. `list`: as many
   * words as the text has given `$@`. `name`: the variable that is meant where it has a value.
   */
  | {
      readonly kind: 'opaque';
      readonly quoted: boolean;
      readonly isOneWord?: boolean | undefined;
      readonly list?: boolean | undefined;
      readonly name?: string | undefined;
      readonly otherwise?: readonly Atom[] | undefined;
    };

export interface WordReader {
  readonly text: string;
  readonly budget: WorkBudget;
  /** Called for each substitution within the word, whose commands run too; true if it makes no text of the caller's choice. */
  substitution(node: ShellNode): boolean;
  /** Called for what an allow may not cover: the word is not fully understood. */
  doubt(why: string): void;
}

/** In double quotes a backslash only takes these (POSIX 2.2.3). */
const ESCAPED_IN_STRING: ReadonlySet<string> = new Set(['$', '`', '"', '\\', '\n']);

function chars(text: string, quoted: boolean): Atom[] {
  return Array.from(text, (char) => ({ kind: 'char', char, quoted }) as const);
}

function unquotedText(text: string): Atom[] {
  const atoms: Atom[] = [];
  const all = Array.from(text);
  for (let at = 0; at < all.length; at++) {
    const char = all[at] as string;
    if (char === '\\' && at + 1 < all.length) {
      at += 1;
      if (all[at] !== '\n') atoms.push({ kind: 'char', char: all[at] as string, quoted: true });
    } else {
      atoms.push({ kind: 'char', char, quoted: false });
    }
  }
  return atoms;
}

function stringText(text: string): Atom[] {
  const atoms: Atom[] = [];
  const all = Array.from(text);
  for (let at = 0; at < all.length; at++) {
    const char = all[at] as string;
    const next = all[at + 1];
    if (char === '\\' && next !== undefined && ESCAPED_IN_STRING.has(next)) {
      at += 1;
      if (next !== '\n') atoms.push({ kind: 'char', char: next, quoted: true });
    } else {
      atoms.push({ kind: 'char', char, quoted: true });
    }
  }
  return atoms;
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['E', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);
const DIGITS = '0123456789abcdef';

function readNumber(text: string, at: number, base: number, most: number): { value: number; length: number } {
  let value = 0;
  let length = 0;
  while (length < most) {
    const digit = DIGITS.indexOf((text[at + length] ?? ' ').toLowerCase());
    if (digit < 0 || digit >= base) break;
    value = value * base + digit;
    length += 1;
  }
  return { value, length };
}

interface NumericEscape {
  readonly skip: number;
  readonly base: number;
  readonly most: number;
}

/** Escapes that name a character by its number: where the digits begin, their base, and how many there may be. */
const NUMERIC_ESCAPES: ReadonlyMap<string, NumericEscape> = new Map<string, NumericEscape>([
  ['x', { skip: 2, base: 16, most: 2 }],
  ['u', { skip: 2, base: 16, most: 4 }],
  ['U', { skip: 2, base: 16, most: 8 }],
  ...[...'01234567'].map((digit): [string, NumericEscape] => [digit, { skip: 1, base: 8, most: 3 }]),
]);

/** The text of `$'…'` (bash, "ANSI-C Quoting"). */
export function decodeAnsiC(body: string): string {
  let result = '';
  for (let at = 0; at < body.length; ) {
    const isEscape = body[at] === '\\' && at + 1 < body.length;
    const { text, length } = isEscape ? escapeAt(body, at) : { text: body[at] as string, length: 1 };
    result += text;
    at += length;
  }
  return result;
}

/** The text of the escape that begins with the backslash at `at`, and the number of characters that it takes. */
function escapeAt(body: string, at: number): { readonly text: string; readonly length: number } {
  const letter = body[at + 1] as string;
  const simple = SIMPLE_ESCAPES.get(letter);
  if (simple !== undefined) return { text: simple, length: 2 };
  const numeric = NUMERIC_ESCAPES.get(letter);
  if (numeric !== undefined) {
    const { skip, base, most } = numeric;
    const { value, length } = readNumber(body, at + skip, base, most);
    if (length === 0) return { text: `\\${letter}`, length: skip };
    const text = value <= 0x10ffff ? String.fromCodePoint(base === 8 ? value & 0xff : value) : '\ufffd';
    return { text, length: skip + length };
  }
  if (letter === 'c' && at + 2 < body.length)
    return { text: String.fromCharCode(body.charCodeAt(at + 2) & 0x1f), length: 3 };
  return { text: `'"\\?`.includes(letter) ? letter : `\\${letter}`, length: 2 };
}

function variable(node: ShellNode, reader: WordReader, quoted: boolean): Atom[] {
  const named = node.children.filter((child) => child.named);
  const plain =
    named.length === 1 &&
    (named[0]?.type === 'variable_name' || named[0]?.type === 'special_variable_name') &&
    // `${x}` has exactly `${`, the name and `}`; `$x` exactly `$` and the name.
    node.children.length === (node.type === 'expansion' ? 3 : 2);
  if (plain) {
    const name = reader.text.slice((named[0] as ShellNode).start, (named[0] as ShellNode).end);
    // A digit ends the name of a parameter without braces: `$1loy` is `$1` and `loy`.
    if (node.type !== 'expansion' && isDigit(name[0]) && name.length > 1)
      return [{ kind: 'var', name: name[0] as string, quoted }, ...chars(name.slice(1), quoted)];
    return [{ kind: 'var', name, quoted }];
  }
  const cut = node.type === 'expansion' ? trimmed(reader.text.slice(node.start + 2, node.end - 1), quoted) : undefined;
  if (cut !== undefined) return [cut];
  reader.doubt('an expansion with an operator');
  walkSubstitutions(node, reader);
  return [{ kind: 'opaque', quoted }];
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';
const isNameCharacter = (char: string): boolean =>
  isDigit(char) || (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || char === '_';
/** In the operand of an expansion these mean nothing, or choose what is cut off. */
const isPlainOperand = (char: string): boolean => isNameCharacter(char) || '.-/*?+,:@%='.includes(char);

/** `${x%.txt}`, `${x##*\/}`, `${#x}`, `${x:-default}`: part of a value, a number, or a literal default. Undefined for any other operator. */
function trimmed(body: string, quoted: boolean): Atom | undefined {
  if (body.startsWith('#') && body.length > 1 && [...body.slice(1)].every(isNameCharacter))
    return { kind: 'opaque', quoted, isOneWord: true };
  let end = 0;
  while (end < body.length && isNameCharacter(body[end] as string)) end++;
  const operator = ['%%', '%', '##', '#', ':-', '-'].find((each) => body.startsWith(each, end));
  if (end === 0 || operator === undefined) return undefined;
  const operand = body.slice(end + operator.length);
  if (![...operand].every(isPlainOperand)) return undefined;
  return {
    kind: 'opaque',
    quoted,
    ...(operator.endsWith('-') ? { otherwise: chars(operand, quoted), name: body.slice(0, end) } : {}),
  };
}

/** Digits and operators only: a name would be evaluated, and may hold a subscript that runs a command. */
const isPlainArithmetic = (text: string): boolean =>
  text.startsWith('$((') &&
  text.endsWith('))') &&
  [...text.slice(3, -2)].every((char) => isDigit(char) || ' +-*/%()<>!&|^~'.includes(char));

/** Finds the substitutions within a node whose own meaning is not read. */
export function walkSubstitutions(node: ShellNode, reader: WordReader): void {
  for (const child of node.children) {
    if (!reader.budget.spend(1)) return;
    if (child.type === 'command_substitution' || child.type === 'process_substitution') reader.substitution(child);
    else walkSubstitutions(child, reader);
    const plain = child.named && child.children.length === 0 && !QUOTED.has(child.type);
    if (plain && reader.text.slice(child.start, child.end).includes('`')) reader.doubt(UNREAD);
  }
}

const QUOTED: ReadonlySet<string> = new Set(['raw_string', 'ansi_c_string', 'comment']);

/** A shell runs it, and the parser has made no command of it: what it holds is read word by word. */
export const UNREAD = 'a substitution that the parser did not read';

function stringAtoms(node: ShellNode, reader: WordReader): Atom[] {
  const atoms: Atom[] = [];
  // Blanks between the parts of a string belong to it, but to no child: the gaps are read as text.
  let at = node.start + 1;
  for (const child of node.children) {
    // The parser takes blanks before the last quote into it.
    if (!child.named && reader.text.slice(child.start, child.end).trimStart() === '"') continue;
    if (child.start > at) atoms.push(...stringText(reader.text.slice(at, child.start)));
    const source = reader.text.slice(child.start, child.end);
    if (child.type === 'string_content' || !child.named) {
      atoms.push(...stringText(source));
    } else {
      // The parser takes blanks before an expansion into it.
      atoms.push(...chars(source.slice(0, source.length - source.trimStart().length), true));
      atoms.push(...readWord(child, reader, true));
    }
    at = child.end;
  }
  if (node.end - 1 > at) atoms.push(...stringText(reader.text.slice(at, node.end - 1)));
  return atoms;
}

/** The atoms of a word node; unknown nodes are opaque and in doubt. */
export function readWord(node: ShellNode, reader: WordReader, quoted = false): Atom[] {
  const text = reader.text.slice(node.start, node.end);
  switch (node.type) {
    case 'word':
    case 'number':
    case 'variable_name':
    case 'special_variable_name':
    case 'file_descriptor':
    case 'test_operator':
      if (node.children.length > 0) {
        // `16#ff` with an expansion inside.
        reader.doubt('a number with an expansion');
        walkSubstitutions(node, reader);
        return [{ kind: 'opaque', quoted }];
      }
      return quoted ? chars(text, true) : unquotedText(text);
    case 'concatenation':
    case 'command_name':
      return concatenated(node, reader, quoted);
    case 'raw_string':
      return chars(text.slice(1, -1), true);
    case 'ansi_c_string':
      // To a shell without it the dollar is a letter, a backslash is none, and the first quote ends the word.
      reader.doubt('a quoting that not every shell has');
      return chars(decodeAnsiC(text.slice(2, -1)), true);
    case 'string':
      return stringAtoms(node, reader);
    case 'translated_string': {
      const inner = node.children.find((child) => child.type === 'string');
      if (inner !== undefined) return stringAtoms(inner, reader);
      reader.doubt('a translated string');
      return [{ kind: 'opaque', quoted: true }];
    }
    case 'simple_expansion':
    case 'expansion':
      return variable(node, reader, quoted);
    case 'command_substitution':
    case 'process_substitution':
      return [{ kind: 'opaque', quoted, isOneWord: reader.substitution(node) }];
    case 'brace_expression':
      return chars(text, false);
    case 'arithmetic_expansion':
      if (isPlainArithmetic(text)) return [{ kind: 'opaque', quoted, isOneWord: true }];
      reader.doubt('arithmetic');
      walkSubstitutions(node, reader);
      return [{ kind: 'opaque', quoted }];
    default:
      reader.doubt(`a word of an unknown kind (${node.named ? node.type : 'symbol'})`);
      walkSubstitutions(node, reader);
      return node.children.length === 0 ? unquotedText(text) : [{ kind: 'opaque', quoted }];
  }
}

function concatenated(node: ShellNode, reader: WordReader, quoted: boolean): Atom[] {
  const atoms: Atom[] = [];
  let at = node.start;
  for (const child of node.children) {
    if (child.start > at) {
      const gap = reader.text.slice(at, child.start);
      if (gap.replaceAll('\\\n', '') !== '') reader.doubt('a gap within a word');
    }
    atoms.push(...readWord(child, reader, quoted));
    at = child.end;
  }
  return atoms;
}
