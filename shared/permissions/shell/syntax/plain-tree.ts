/**
 * Makes the tree of plain commands without the parser, by far the most usual texts.
 * Read are commands of plain and of quoted words, of globs and of `$x`, alone or joined by `|`, `&&`, `||` and `;`, the first with
 * redirections to plain names. The tree is the one that the parser gives (a test compares them). Any other text is the parser's.
 */
import type { ShellNode, ShellTree } from './tree.ts';

const MAX_LENGTH = 400;

/** Words that begin something else than a simple command. */
const RESERVED: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  'select',
  'function',
  'in',
  'time',
  'coproc',
  'declare',
  'typeset',
  'export',
  'readonly',
  'local',
  'unset',
  'unsetenv',
  'test',
  // The parser takes no dash for the name of a command.
  '-',
]);

/** Letters, digits and `_./-`: no quoting, expansion, glob, operator or assignment can come of them. */
function isPlain(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x2d && code <= 0x39) || code === 0x5f
  );
}

/** Behind the command's name these are characters of a word, too; before it `=` would assign. */
const ARGUMENT_CHARACTERS: ReadonlySet<number> = new Set(Array.from('*?=:,@%+', (char) => char.charCodeAt(0)));

const isArgument = (code: number): boolean => isPlain(code) || ARGUMENT_CHARACTERS.has(code);

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Where the name behind a `$` ends; undefined unless it begins with a letter, as those of special parameters do not. */
function endOfName(text: string, at: number): number | undefined {
  if (!isLetter(text.charCodeAt(at))) return undefined;
  let end = at + 1;
  for (let code = text.charCodeAt(end); isLetter(code) || isDigit(code) || text[end] === '_'; )
    code = text.charCodeAt(++end);
  return end;
}

const SPACE = 0x20;
const OPERATORS = ['&&', '||', '|', ';'] as const;
type Operator = (typeof OPERATORS)[number];

function node(type: string, start: number, end: number, children: readonly ShellNode[] = []): ShellNode {
  return { type, named: true, start, end, children };
}

const token = (type: string, start: number): ShellNode => ({
  type,
  named: false,
  start,
  end: start + type.length,
  children: [],
});

/** Commands with the operators between them: `operators[n]` stands behind `commands[n]`. */
interface Read {
  readonly commands: ShellNode[];
  readonly operators: ShellNode[];
}

const ENDS_WORD = ' ;|&><';

const isEndOfWord = (text: string, at: number): boolean => at >= text.length || ENDS_WORD.includes(text[at] as string);

/** The word that begins at `at`; undefined for one that only the parser reads. */
function wordAt(text: string, at: number, isFirst: boolean): ShellNode | undefined {
  const first = text[at];
  if (isFirst) {
    const word = first === '"' || first === "'" ? quotedWord(text, at, first) : wordOf(text, at, isPlain);
    return word !== undefined && word.end > at && isEndOfWord(text, word.end) ? word : undefined;
  }
  // `==` is an operator to the parser.
  if (first === '=') return undefined;
  const found = findWord(text, at);
  if (found !== undefined) return isEndOfWord(text, found.end) ? found : undefined;
  return joinedWord(text, at);
}

/** A word of plain, quoted and expanded parts: `--a="b c"`, `"$x":/y`. */
function joinedWord(text: string, at: number): ShellNode | undefined {
  const parts: ShellNode[] = [];
  let end = at;
  while (!isEndOfWord(text, end)) {
    const part = partAt(text, end);
    if (part === undefined || part.end === end) return undefined;
    parts.push(part);
    end = part.end;
  }
  if (parts.length < 2) return parts[0];
  // Behind other parts the parser does not always see where a name ends, and it takes a part of digits for a number.
  if (parts.slice(1, -1).some(({ type }) => type === 'simple_expansion')) return undefined;
  if (parts.some((part) => part.type === 'word' && mayBeNumber(text, part))) return undefined;
  return node('concatenation', at, end, parts);
}

function partAt(text: string, at: number): ShellNode | undefined {
  const first = text[at];
  if (first === '"' || first === "'") return quotedWord(text, at, first);
  if (first !== '$') return wordOf(text, at, isArgument);
  const end = endOfName(text, at + 1);
  return end === undefined ? undefined : expansion(at, end);
}

/** Digits, or the dash before them. */
function mayBeNumber(text: string, { start, end }: ShellNode): boolean {
  const isDash = text[start] === '-';
  return (isDash && end === start + 1) || isDigit(text.charCodeAt(isDash ? start + 1 : start));
}

function wordOf(text: string, at: number, isWord: (code: number) => boolean): ShellNode {
  let end = at;
  while (isWord(text.charCodeAt(end))) end++;
  return node('word', at, end);
}

/** `{}` and `\\;`, the words of `find -exec`. */
function findWord(text: string, at: number): ShellNode | undefined {
  if (text.startsWith('{}', at))
    return node('concatenation', at, at + 2, [node('word', at, at + 1), node('word', at + 1, at + 2)]);
  return text.startsWith('\\;', at) ? node('word', at, at + 2) : undefined;
}

function expansion(start: number, end: number): ShellNode {
  return node('simple_expansion', start, end, [token('$', start), node('variable_name', start + 1, end)]);
}

/** A quoted part; in double quotes it holds a text without expansions, or `$x` or `$x/…` and nothing else. */
function quotedWord(text: string, at: number, quote: string): ShellNode | undefined {
  const expanded = quote === '"' && text[at + 1] === '$' ? endOfName(text, at + 2) : undefined;
  if (expanded !== undefined) {
    const { end } = text[expanded] === '/' ? wordOf(text, expanded, isPlain) : { end: expanded };
    if (text[end] !== quote) return undefined;
    const rest = end > expanded ? [node('string_content', expanded, end)] : [];
    return node('string', at, end + 1, [token(quote, at), expansion(at + 1, expanded), ...rest, token(quote, end)]);
  }
  // A blank first is left to the parser; in double quotes so is what expands or escapes.
  if (text[at + 1] === ' ') return undefined;
  let end = at + 1;
  for (; text[end] !== quote; end++) {
    const code = text.charCodeAt(end);
    if (!(code >= SPACE && code <= 0x7e) || (quote === '"' && '$`\\!'.includes(text[end] as string))) return undefined;
  }
  if (quote === "'") return node('raw_string', at, end + 1);
  const content = end > at + 1 ? [node('string_content', at + 1, end)] : [];
  return node('string', at, end + 1, [token(quote, at), ...content, token(quote, end)]);
}

function commandNode(text: string, words: readonly ShellNode[]): ShellNode | undefined {
  const [first] = words;
  // Single quotes make a name of a reserved word; double quotes are left to the parser.
  if (first?.type !== 'raw_string' && first?.type !== 'word') return undefined;
  if (RESERVED.has(text.slice(first.start, first.end))) return undefined;
  const name = node('command_name', first.start, first.end, [first]);
  return node('command', first.start, (words.at(-1) as ShellNode).end, [name, ...words.slice(1)]);
}

const REDIRECTS = ['>>', '>', '<'] as const;

function pastBlanks(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === SPACE) end++;
  return end;
}

/** `> f`, `2>>f`, `2>&1` behind a blank or a word; undefined for any other redirection. */
function redirectAt(text: string, at: number): ShellNode | undefined {
  const hasDescriptor = isDescriptor(text, at);
  const from = hasDescriptor ? at + 1 : at;
  const descriptor = hasDescriptor ? [node('file_descriptor', at, from)] : [];
  if (text.startsWith('>&', from)) {
    const end = from + 3;
    if (!isDigit(text.charCodeAt(end - 1)) || !isEndOfWord(text, end)) return undefined;
    return node('file_redirect', at, end, [...descriptor, token('>&', from), node('word', end - 1, end)]);
  }
  const operator = REDIRECTS.find((each) => text.startsWith(each, from));
  if (operator === undefined) return undefined;
  const target = wordOf(text, pastBlanks(text, from + operator.length), isPlain);
  if (target.end === target.start || !isEndOfWord(text, target.end) || mayBeNumber(text, target)) return undefined;
  return node('file_redirect', at, target.end, [...descriptor, token(operator, from), target]);
}

/** The parser takes a zero for a word. */
const isDescriptor = (text: string, at: number): boolean => isDigit(text.charCodeAt(at)) && text[at] !== '0';

const isRedirect = (text: string, at: number): boolean => {
  const from = isDescriptor(text, at) ? at + 1 : at;
  return text[from] === '>' || text[from] === '<';
};

/** The command that ends at `from` with all redirections behind it. */
function redirected(text: string, from: number, words: readonly ShellNode[]): ShellNode | undefined {
  const command = commandNode(text, words);
  // The parser takes a word of digits there for a number or a descriptor.
  if (command === undefined || mayBeNumber(text, words.at(-1) as ShellNode)) return undefined;
  const redirects: ShellNode[] = [];
  for (let at = from; isRedirect(text, at); at = pastBlanks(text, (redirects.at(-1) as ShellNode).end)) {
    const redirect = redirectAt(text, at);
    if (redirect === undefined) return undefined;
    redirects.push(redirect);
  }
  return node('redirected_statement', command.start, (redirects.at(-1) as ShellNode).end, [command, ...redirects]);
}

/** The next word of a command, or the command with all redirections that follow its words. */
function nextPart(
  text: string,
  at: number,
  words: readonly ShellNode[],
  operators: readonly ShellNode[],
): ShellNode | undefined {
  if (words.length === 0 || !isRedirect(text, at)) return wordAt(text, at, words.length === 0);
  // Behind another operator the parser gives the redirection to all that is joined.
  const isJoined = operators.length > 0 && operators.at(-1)?.type !== ';';
  return isJoined ? undefined : redirected(text, at, words);
}

function read(text: string): Read | undefined {
  const commands: ShellNode[] = [];
  const operators: ShellNode[] = [];
  let words: ShellNode[] = [];
  /** The command of `words` with its redirections. */
  let whole: ShellNode | undefined;
  for (let at = 0; at < text.length; ) {
    if (text.charCodeAt(at) === SPACE) {
      at += 1;
      continue;
    }
    const operator: Operator | undefined = OPERATORS.find((each) => text.startsWith(each, at));
    if (operator === undefined) {
      const part = whole === undefined ? nextPart(text, at, words, operators) : undefined;
      if (part === undefined) return undefined;
      if (part.type === 'redirected_statement') whole = part;
      else words.push(part);
      at = part.end;
      continue;
    }
    const command = whole ?? commandNode(text, words);
    const next = text[at + operator.length];
    if (command === undefined || next === '&' || next === '|' || next === ';') return undefined;
    commands.push(command);
    operators.push(token(operator, at));
    words = [];
    whole = undefined;
    at += operator.length;
  }
  // Behind a last `;` there need be nothing; behind any other operator there must be a command.
  if (words.length === 0) return operators.at(-1)?.type === ';' ? { commands, operators } : undefined;
  const last = whole ?? commandNode(text, words);
  if (last === undefined) return undefined;
  commands.push(last);
  return { commands, operators };
}

/** `|` binds closest, then `&&` and `||` from the left; `;` parts what stands beside it in the program. */
function statements({ commands, operators }: Read): ShellNode[] {
  const made: ShellNode[] = [];
  let list: ShellNode | undefined;
  let pending: ShellNode | undefined;
  for (let at = 0; at < commands.length; ) {
    const parts: ShellNode[] = [commands[at] as ShellNode];
    while (operators[at]?.type === '|') parts.push(operators[at] as ShellNode, commands[++at] as ShellNode);
    const [first] = parts as [ShellNode];
    const end = (parts.at(-1) as ShellNode).end;
    const joined = parts.length === 1 ? first : node('pipeline', first.start, end, parts);
    list = list && pending ? node('list', list.start, end, [list, pending, joined]) : joined;
    const operator = operators[at++];
    pending = operator?.type === ';' ? undefined : operator;
    if (pending !== undefined) continue;
    made.push(list, ...(operator === undefined ? [] : [operator]));
    list = undefined;
  }
  return made;
}

export function plainTree(text: string): ShellTree | undefined {
  if (text.length === 0 || text.length > MAX_LENGTH) return undefined;
  const found = read(text);
  return found && { text, root: node('program', 0, text.length, statements(found)), broken: false, plain: true };
}
