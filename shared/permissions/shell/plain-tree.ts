/**
 * The tree of commands of plain and of wholly quoted words, alone or joined by `|`, `&&`, `||` and `;`, made without the parser: by far
 * the most usual texts, and the same tree that the parser gives (a test compares them). Any other text is the parser's.
 */
import type { ShellNode, ShellTree } from './parser.ts';

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
]);

/** Letters, digits and `_./-`: no quoting, expansion, glob, operator or assignment can come of them. */
function isPlain(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x2d && code <= 0x39) || code === 0x5f
  );
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

function isEndOfWord(text: string, at: number): boolean {
  const char = text[at];
  return char === undefined || char === ' ' || char === ';' || char === '|' || char === '&';
}

/** Where the plain word or the wholly quoted one that begins at `at` ends; undefined for any other. */
function endOfWord(text: string, at: number): number | undefined {
  const quote = text[at];
  let end = at;
  if (quote !== '"' && quote !== "'") {
    while (isPlain(text.charCodeAt(end))) end++;
  } else {
    // A blank first is left to the parser; in double quotes so is what expands or escapes.
    if (text[at + 1] === ' ') return undefined;
    for (end = at + 1; text[end] !== quote; end++) {
      const code = text.charCodeAt(end);
      if (!(code >= SPACE && code <= 0x7e) || (quote === '"' && '$`\\!'.includes(text[end] as string)))
        return undefined;
    }
    end += 1;
  }
  return end > at && isEndOfWord(text, end) ? end : undefined;
}

function wordNode(text: string, start: number, end: number): ShellNode {
  const quote = text[start];
  if (quote === "'") return node('raw_string', start, end);
  if (quote !== '"') return node('word', start, end);
  const content = end - start > 2 ? [node('string_content', start + 1, end - 1)] : [];
  return node('string', start, end, [token('"', start), ...content, token('"', end - 1)]);
}

function commandNode(text: string, words: readonly ShellNode[]): ShellNode | undefined {
  const [first] = words;
  // Single quotes make a name of a reserved word; double quotes are left to the parser.
  if (first?.type !== 'raw_string' && first?.type !== 'word') return undefined;
  if (RESERVED.has(text.slice(first.start, first.end))) return undefined;
  const name = node('command_name', first.start, first.end, [first]);
  return node('command', first.start, (words.at(-1) as ShellNode).end, [name, ...words.slice(1)]);
}

function read(text: string): Read | undefined {
  const commands: ShellNode[] = [];
  const operators: ShellNode[] = [];
  let words: ShellNode[] = [];
  for (let at = 0; at < text.length; ) {
    if (text.charCodeAt(at) === SPACE) {
      at += 1;
      continue;
    }
    const operator: Operator | undefined = OPERATORS.find((each) => text.startsWith(each, at));
    if (operator === undefined) {
      const end = endOfWord(text, at);
      if (end === undefined) return undefined;
      words.push(wordNode(text, at, end));
      at = end;
      continue;
    }
    const command = commandNode(text, words);
    const next = text[at + operator.length];
    if (command === undefined || next === '&' || next === '|' || next === ';') return undefined;
    commands.push(command);
    operators.push(token(operator, at));
    words = [];
    at += operator.length;
  }
  // Behind a last `;` there need be nothing; behind any other operator there must be a command.
  if (words.length === 0) return operators.at(-1)?.type === ';' ? { commands, operators } : undefined;
  const last = commandNode(text, words);
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
