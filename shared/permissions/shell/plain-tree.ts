/**
 * The tree of a single command of plain words, made without the parser: by far the most usual text, and the same tree that the
 * parser gives (a test compares them). Any other text is the parser's.
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

function leaf(type: string, start: number, end: number): ShellNode {
  return { type, named: true, start, end, children: [] };
}

export function plainTree(text: string): ShellTree | undefined {
  if (text.length === 0 || text.length > MAX_LENGTH) return undefined;
  const words: ShellNode[] = [];
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0x20;
    if (code === 0x20) {
      if (start >= 0) words.push(leaf('word', start, at));
      start = -1;
    } else if (isPlain(code)) {
      if (start < 0) start = at;
    } else {
      return undefined;
    }
  }
  const first = words[0];
  if (first === undefined || RESERVED.has(text.slice(first.start, first.end))) return undefined;
  const end = (words.at(-1) as ShellNode).end;
  const name: ShellNode = { type: 'command_name', named: true, start: first.start, end: first.end, children: [first] };
  const command: ShellNode = {
    type: 'command',
    named: true,
    start: first.start,
    end,
    children: [name, ...words.slice(1)],
  };
  return {
    text,
    root: { type: 'program', named: true, start: 0, end: text.length, children: [command] },
    broken: false,
  };
}
