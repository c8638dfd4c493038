/**
 * Loads the parser of shell commands once per process, with the first call of a shell tool.
 * The second reader, the analysis and the matching of commands come with it. The tree of `web-tree-sitter` with `tree-sitter-bash` is copied into
 * plain objects, so that nothing of the WebAssembly heap outlives a call.
 */
import type { Language, Parser, TreeCursor } from 'web-tree-sitter';
import type { analyseCommand } from './analysis/analyse.ts';
import { BoundedReader } from './syntax/bounded-reader.ts';
import { withDash } from './syntax/lone-dash.ts';
import type { plainTree } from './syntax/plain-tree.ts';
import type { ShellParser } from './syntax/shell-parser.ts';
import type { ShellNode } from './syntax/tree.ts';

const MAX_DEPTH = 200;
const MAX_NODES = 60_000;
/** Texts beyond it are not parsed (over 10,000 characters is at least ask; deny rules read them word by word). */
const MAX_PARSED = 20_000;

class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

interface NodeKind {
  readonly type: string;
  readonly named: boolean;
}

/** Kinds of nodes by the grammar's number, because each question to the cursor is a call into WebAssembly, and there are many nodes. */
const kinds: NodeKind[] = [];

function kindOf(cursor: TreeCursor): NodeKind {
  const id = cursor.nodeTypeId;
  const kind = kinds[id] ?? { type: cursor.nodeType, named: cursor.nodeIsNamed };
  kinds[id] = kind;
  return kind;
}

interface CopyState {
  readonly text: string;
  nodes: number;
  broken: boolean;
}

function copy(cursor: TreeCursor, depth: number, state: CopyState): ShellNode {
  state.nodes += 1;
  if (depth > MAX_DEPTH || state.nodes > MAX_NODES) throw new TooLargeError('the tree is too large');
  const { type, named } = kindOf(cursor);
  const start = cursor.startIndex;
  const end = cursor.endIndex;
  // A missing node has no characters.
  if (type === 'ERROR' || (start === end && cursor.nodeIsMissing)) state.broken = true;
  const children: ShellNode[] = [];
  if (cursor.gotoFirstChild()) {
    do children.push(copy(cursor, depth + 1, state));
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return {
    type,
    named,
    start,
    end,
    children: type === 'redirected_statement' ? withDash(children, state.text) : children,
  };
}

/** Operators beyond this number make the parser slow: such a text is read word by word instead. */
const MAX_PIPES = 300;
const MAX_BRACKETS = 300;
const MAX_OPERATORS = 3000;

/** Too many operators, or an unlikely depth of brackets. */
function isTooComplex(command: string): boolean {
  let pipes = 0;
  let brackets = 0;
  let operators = 0;
  for (let at = 0; at < command.length; at++) {
    const char = command[at] as string;
    if (char === '|') pipes += 1;
    if (char === '[') brackets += 1;
    if (OPERATORS.includes(char)) operators += 1;
  }
  return pipes > MAX_PIPES || brackets > MAX_BRACKETS || operators > MAX_OPERATORS;
}

const OPERATORS = ';&|()<>`{}$"\n';
function createShellParser(
  parser: Parser,
  readPlain: typeof plainTree,
  analyse: typeof analyseCommand,
  parts: Pick<ShellParser, 'secondReading' | 'commands'>,
): ShellParser {
  return {
    ...parts,
    analyse(command, place) {
      return analyse(command, this, place);
    },
    parse(command) {
      if (command.length > MAX_PARSED || isTooComplex(command)) return undefined;
      const plain = readPlain(command);
      if (plain !== undefined) return plain;
      let tree: ReturnType<Parser['parse']> = null;
      let cursor: TreeCursor | undefined;
      try {
        parser.reset();
        const reader = new BoundedReader(command);
        tree = parser.parse(reader.read, null, { progressCallback: reader.isUsedUp });
        if (tree === null) return undefined;
        cursor = tree.walk();
        const state = { text: command, nodes: 0, broken: false };
        const root = copy(cursor, 0, state);
        return { text: command, root, broken: state.broken };
      } catch {
        return undefined;
      } finally {
        cursor?.delete();
        tree?.delete();
      }
    },
  };
}

let loading: Promise<ShellParser> | undefined;

async function load(): Promise<ShellParser> {
  const [{ Language, Parser }, { secondReading }, { analyseCommand }, { commands }, { plainTree }, { parserFiles }] =
    await Promise.all([
      import('web-tree-sitter'),
      import('./second-reader/second-reader.ts'),
      import('./analysis/analyse.ts'),
      import('../matching/commands.ts'),
      import('./syntax/plain-tree.ts'),
      import('./parser-files.ts'),
    ]);
  const { runtime, grammar } = parserFiles();
  await Parser.init({ wasmBinary: runtime, locateFile: (name: string) => name });
  const language: Language = await Language.load(grammar);
  const parser = new Parser();
  parser.setLanguage(language);
  return createShellParser(parser, plainTree, analyseCommand, { secondReading, commands });
}

/** Loads the parser once per process; a failed load is tried again by the next caller. */
export function loadShellParser(): Promise<ShellParser> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
