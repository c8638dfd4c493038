/** Words the problems of YAML's syntax for the author of a file, at the place to mend. */
import {
  type Document,
  type ErrorCode,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  visit,
  type YAMLError,
} from 'yaml';
import { TOO_DEEP } from '../domain/json-form.ts';

interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
  /** The parser reads on as if it were not there: another one of the line is no consequence of it. */
  readonly standsAlone?: boolean;
}

const ALONE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['BAD_DQ_ESCAPE', 'DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

/** One for each error; of what is left open that alone, for it takes the rest of the file with it. */
export function syntaxProblems(document: Document, source: string): readonly SyntaxProblem[] {
  const errors = [...document.errors, ...document.warnings];
  const open = isLeftOpen(errors) ? firstOpen(document, source) : undefined;
  if (open) return [open];
  // Behind an error that ended the document each word is one more, and would show what stands there.
  const told = errors.filter(({ message }, index) => !index || !message.includes(' token in YAML stream'));
  return told.map((error) => ({
    offset: error.pos[0],
    message: syntaxWords(error, source),
    standsAlone: ALONE.has(error.code),
  }));
}

/** A bracket is at fault only where nothing before it ended its list too early. */
function isLeftOpen(errors: readonly YAMLError[]): boolean {
  if (errors.some(({ message }) => /^Missing closing ['"]quote/.test(message))) return true;
  const first = errors.find(({ code, message }) => code === 'UNEXPECTED_TOKEN' || OPEN_BRACKET.test(message));
  return OPEN_BRACKET.test(first?.message ?? '');
}

const OPEN_BRACKET = /^Flow (?:map|sequence) (?:in block collection )?must/;

/** Errors of the parser stand where the text ends, which tells nobody where it begins. */
function firstOpen(document: Document, source: string): SyntaxProblem | undefined {
  const problems: SyntaxProblem[] = [];
  visit(document, {
    Node: (_, node) => {
      const [begin, end, what] = bracketsOf(node) ?? [];
      if (!begin || !node.range) return;
      const [offset, valueEnd] = node.range;
      // A pair in a list is a mapping without a bracket.
      if (source[offset] !== begin) return;
      const text = source.slice(offset, valueEnd);
      // An open list that ends with its last entry shows the bracket of that entry.
      if (text.length >= 2 && text.endsWith(end ?? '') && endOfLast(node) < valueEnd) return;
      // A bracket that stands as far left as the key of its value ends nothing.
      const tooFarLeft = isScalar(node) ? '' : ', or has too few spaces before it';
      problems.push({
        offset,
        message: `${what} begins here with ${begin}, and ${end} is missing at its end${tooFarLeft}`,
      });
    },
  });
  // The innermost is the one that was forgotten: a list around an open text ends nowhere either.
  return problems.at(-1);
}

type Brackets = readonly [begin: string, end: string, what: string];

function bracketsOf(node: Node): Brackets | undefined {
  if (isScalar(node)) {
    if (node.type === 'QUOTE_DOUBLE') return ['"', '"', 'a text'];
    return node.type === 'QUOTE_SINGLE' ? ["'", "'", 'a text'] : undefined;
  }
  if (!isCollection(node) || !node.flow) return undefined;
  return isMap(node) ? ['{', '}', 'a mapping'] : ['[', ']', 'a list'];
}

const COLUMN =
  'begins at another column than the lines that it belongs to: entries of one list or mapping begin at the same';

function endOfLast(node: Node): number {
  const last: unknown = isCollection(node) ? node.items.at(-1) : undefined;
  const value = isPair(last) ? (last.value ?? last.key) : last;
  return isNode(value) ? (value.range?.[2] ?? 0) : 0;
}

const KEY = 'a key has to stand on one line, with a : and a blank behind it';
const MIXED = 'is no entry of what stands above it: a list has - before each entry, and a mapping has keys alone';

/** Without the place, which stands before it, and with the key that a line starts with. */
function syntaxWords({ code, message, pos }: YAMLError, source: string): string {
  const problem = (message.split('\n')[0] ?? 'is not YAML').replace(/ at line \d+, column \d+:?$/, '');
  const here = source.slice(pos[0], pos[0] + 100);
  const key = /^[^\s:]+/.exec(here)?.[0];
  const [sign = ''] = here;
  switch (code) {
    case 'DUPLICATE_KEY':
      return key === undefined ? problem : `${key}: stands there twice`;
    case 'NON_STRING_KEY':
      return key === undefined ? problem : `${key}: a key must be text, without alias or tag`;
    case 'MULTIPLE_DOCS':
      return 'a second document begins here, and the file must be one';
    case 'TAB_AS_INDENT':
      return 'a tab stands before this line: indent with spaces';
    case 'BAD_INDENT':
      return problem.startsWith('Flow end')
        ? `${sign} stands too far left: it needs more spaces before it than the key of its value`
        : COLUMN;
    case 'BAD_SCALAR_START':
      return `a text that begins with ${sign} has to be in quotes`;
    case 'BAD_DQ_ESCAPE':
      return `${here.slice(0, 2)} means nothing in double quotes: put the text in single quotes`;
    case 'TAG_RESOLVE_FAILED':
      return `${key ?? sign}: tags mean nothing here; a text that begins with ! has to be in quotes`;
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'BLOCK_IN_FLOW':
      if (problem.startsWith('A block sequence')) return COLUMN;
      return /^-\s/.test(here)
        ? '- begins no entry between brackets: put commas between the entries, or leave the brackets away'
        : 'a second key begins on this line: put a text that holds ": " in quotes';
    case 'MULTILINE_IMPLICIT_KEY':
      return /^-\s/.test(here) ? MIXED : KEY;
    case 'MISSING_CHAR':
      if (problem.startsWith('Implicit map keys')) return KEY;
      return problem.startsWith('Missing ,') ? 'a comma is missing before this' : problem;
    case 'UNEXPECTED_TOKEN':
      return unexpectedWords(problem, here, source.slice(0, pos[0]));
    default:
      return problem.startsWith('Maximum call stack') ? TOO_DEEP : problem;
  }
}

function unexpectedWords(problem: string, here: string, before: string): string {
  if (!/^Unexpected \S+ (?:at node end|token in YAML)|^Not a YAML token/.test(problem)) return problem;
  const [sign = ''] = here;
  if (/^[[{]/.test(here)) return `a comma is missing before ${sign}, or the whole text has to be in quotes`;
  if (/^[\]}]/.test(here)) return `${sign} ends nothing that is open: take it away, or put the whole text in quotes`;
  return /(?:^|\n)\s*$/.test(before)
    ? MIXED
    : `${sign} stands behind the end of a value: put the whole text in quotes, of the other kind where it holds quotes`;
}
