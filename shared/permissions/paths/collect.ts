/** Which paths a call names: every string leaf of a path-like key, nested (R4-105, R4-106, rules.md "Paths"). */
import type { GlobToken } from '../text/glob.ts';
import { globSegments } from './glob-word.ts';
import type { PathContext } from './normalise.ts';
import { patchHeaders } from './patch.ts';
import { scanCommandText } from './scan-command.ts';

export interface PathUse {
  readonly path: string;
  /** Folded tokens per segment where the word is a glob; then `path` is its text. */
  readonly glob?: readonly (readonly GlobToken[])[] | undefined;
  /** The key it stood under, such as `edits[0].file_path`. */
  readonly key: string;
  /** Named by the tool's own path arguments, not found by looking through a text. */
  readonly argument: boolean;
}

export interface CollectedPaths {
  readonly uses: readonly PathUse[];
  /** Nested too deep to look at whole: the caller answers `error`. */
  readonly tooDeep: boolean;
}

export interface CollectOptions {
  readonly context: PathContext;
  /** True when the shell analysis looks at the top-level `command` itself. */
  readonly commandAnalysed?: boolean | undefined;
}

const KEYS: ReadonlySet<string> = new Set([
  'path',
  'paths',
  'file',
  'files',
  'filepath',
  'filename',
  'filenames',
  'directory',
  'directories',
  'dir',
  'dirs',
  'folder',
  'cwd',
  'root',
  'source',
  'src',
  'dest',
  'destination',
  'target',
  'output',
  'notebookpath',
  'from',
  'to',
  'oldpath',
  'newpath',
  'uri',
]);
const ENDINGS = ['path', 'paths', 'filename', 'directory', 'folder', 'uri'] as const;
const PATCH_KEYS: ReadonlySet<string> = new Set(['patch', 'diff', 'input']);
const MAX_DEPTH = 64;

/** `filePath`, `file-path` and `FILE_PATH` are all `file_path`. */
function plainKey(key: string): string {
  let result = '';
  for (const char of key.toLowerCase()) if (char !== '_' && char !== '-' && char !== '.') result += char;
  return result;
}

function isPathKey(plain: string): boolean {
  return KEYS.has(plain) || ENDINGS.some((ending) => plain.endsWith(ending));
}

function isWebUrl(text: string): boolean {
  const head = text.trimStart().slice(0, 8).toLowerCase();
  return head.startsWith('http://') || head.startsWith('https://');
}

export function collectPaths(toolName: string, input: unknown, options: CollectOptions): CollectedPaths {
  const uses: PathUse[] = [];
  let tooDeep = false;

  const leaf = (text: string, name: string, key: string, top: boolean, pathLike: boolean): void => {
    if (name === 'command' && !(top && options.commandAnalysed === true)) {
      for (const word of scanCommandText(text)) uses.push({ path: word.path, glob: word.glob, key, argument: false });
    } else if (name === 'url' || name === 'uri') {
      if (text.trimStart().slice(0, 5).toLowerCase() === 'file:') uses.push({ path: text.trim(), key, argument: true });
      else if (name === 'uri' && !isWebUrl(text)) uses.push({ path: text, key, argument: true });
    } else if ((top && toolName === 'Glob' && name === 'pattern') || (top && toolName === 'Grep' && name === 'glob')) {
      for (const word of globSegments(text)) uses.push({ path: word.path, glob: word.glob, key, argument: true });
    } else if (PATCH_KEYS.has(name)) {
      for (const path of patchHeaders(text)) uses.push({ path, key, argument: true });
    } else if (pathLike && !isWebUrl(text)) {
      uses.push({ path: text, key, argument: true });
    }
  };

  const walk = (value: unknown, name: string, key: string, pathLike: boolean, depth: number): void => {
    if (depth > MAX_DEPTH) {
      tooDeep = true;
      return;
    }
    if (typeof value === 'string') {
      leaf(value, name, key, depth === 1, pathLike);
    } else if (Array.isArray(value)) {
      value.forEach((each, index) => {
        walk(each, name, `${key}[${index}]`, pathLike, depth + 1);
      });
    } else if (typeof value === 'object' && value !== null) {
      for (const [child, each] of Object.entries(value)) {
        const path = key === '' ? child : `${key}.${child}`;
        const plain = plainKey(child);
        walk(each, plain, path, pathLike || isPathKey(plain), depth + 1);
      }
    }
  };
  walk(input, '', '', false, 0);
  return { uses, tooDeep };
}
