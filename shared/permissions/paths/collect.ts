/** Collects the paths that a call names: every string leaf of a path-like key, nested. */

import { globKey, type KeyKind, keyKind, looksLikePath } from '../../domain/path-keys.ts';
import { isBuiltInTool } from '../model/tools.ts';
import { foldText } from '../text/characters.ts';
import type { GlobToken } from '../text/glob.ts';
import { type GlobWord, globSegments, globSegmentsIn, listedGlobs } from './glob-word.ts';
import { type PathContext, percentDecodeOnce } from './normalise.ts';
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

const PATCH_KEYS: ReadonlySet<string> = new Set(['patch', 'diff', 'input']);
const MAX_DEPTH = 64;

/** `filePath`, `file-path` and `FILE_PATH` are all `file_path`. */
function plainKey(key: string): string {
  let result = '';
  for (const char of key.toLowerCase()) if (char !== '_' && char !== '-' && char !== '.') result += char;
  return result;
}

/** One that climbs (`http://x/../../.env`) is a path to whoever resolves it as one. */
function isWebUrl(text: string): boolean {
  const head = text.trimStart().slice(0, 8).toLowerCase();
  if (!head.startsWith('http://') && !head.startsWith('https://')) return false;
  return !foldText(percentDecodeOnce(text)).includes('..');
}

function isFileUrl(text: string): boolean {
  return text.trimStart().slice(0, 5).toLowerCase() === 'file:';
}

/** A patch has lines; a single word under `input` is no patch. */
function holdsPatch(text: string): boolean {
  return !looksLikePath(text);
}

/** Where in the input a text stands. */
interface KeyContext {
  readonly name: string;
  readonly kind: KeyKind;
  readonly key: string;
  /** Under a key that names paths. */
  readonly pathLike: boolean;
  /** Under a key of an unknown tool that holds globs. */
  readonly globs: 'list' | 'word' | undefined;
}

/** `Glob` and `Grep` look below this path; without it, below the call's folder. */
function searchedFolder(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const folder: unknown = Object.getOwnPropertyDescriptor(input, 'path')?.value;
  return typeof folder === 'string' && folder !== '' ? folder : undefined;
}

/** The globs that a field of a search tool names: `Grep` takes a list of them, and a bare name at any depth. */
function* searched(tool: string, name: string, text: string, folder: string | undefined): Generator<GlobWord> {
  if (tool === 'Glob' && name === 'pattern') yield* globSegmentsIn(folder, text);
  if (tool !== 'Grep' || name !== 'glob') return;
  for (const glob of listedGlobs(text)) {
    yield* globSegmentsIn(folder, glob, true);
    // ripgrep reads a glob with a slash from where it runs, and not from the folder that it searches.
    if (folder !== undefined && glob.includes('/')) yield* globSegments(glob);
  }
}

const BLANKS = [' ', '\t', '\n', '\r'] as const;

/** Texts under this key that an unknown tool may read as globs. */
function possibleGlobs(text: string, { globs, pathLike, kind }: KeyContext): readonly GlobWord[] {
  if (globs === 'list' || (globs === 'word' && !BLANKS.some((blank) => text.includes(blank))))
    return listedGlobs(text).flatMap(globSegments);
  return pathLike || kind === 'maybe' ? globSegments(text).filter((word) => word.glob !== undefined) : [];
}

export function collectPaths(toolName: string, input: unknown, options: CollectOptions): CollectedPaths {
  const uses: PathUse[] = [];
  let tooDeep = false;

  const foreign = !isBuiltInTool(toolName);

  const folder = searchedFolder(input);

  const leaf = (text: string, context: KeyContext, top: boolean): void => {
    const { name, kind, key, pathLike } = context;
    if (foreign && kind !== 'prose' && !isWebUrl(text)) {
      for (const { path, glob } of possibleGlobs(text, context)) uses.push({ path, glob, key, argument: false });
      if (context.globs !== undefined && text.startsWith('!')) return;
    }
    if (kind === 'command' && !(top && name === 'command' && options.commandAnalysed === true)) {
      for (const word of scanCommandText(text)) uses.push({ path: word.path, glob: word.glob, key, argument: false });
    } else if (name === 'url' || name === 'uri') {
      if (isFileUrl(text)) uses.push({ path: text.trim(), key, argument: true });
      else if (name === 'uri' && !isWebUrl(text)) uses.push({ path: text, key, argument: true });
      else if (foreign && !isWebUrl(text) && looksLikePath(text)) uses.push({ path: text, key, argument: false });
    } else if ((top && toolName === 'Glob' && name === 'pattern') || (top && toolName === 'Grep' && name === 'glob')) {
      for (const { path, glob } of searched(toolName, name, text, folder))
        uses.push({ path, glob, key, argument: true });
    } else if (PATCH_KEYS.has(name) && holdsPatch(text)) {
      for (const path of patchHeaders(text)) uses.push({ path, key, argument: true });
    } else if (isWebUrl(text)) {
      // Judged as an address.
    } else if (pathLike || (kind === 'maybe' && looksLikePath(text))) {
      uses.push({ path: text, key, argument: true });
    } else if (foreign && kind !== 'prose' && looksLikePath(text)) {
      // An unknown tool may do anything with it: deny rules and protected names look at it.
      uses.push({ path: isFileUrl(text) ? text.trim() : text, key, argument: false });
    }
  };

  /** JSON within a text is looked at like the input itself. */
  const within = (text: string, context: KeyContext, depth: number): void => {
    const start = text.trimStart()[0];
    if (!foreign || context.kind === 'prose' || (start !== '{' && start !== '[')) return;
    try {
      walk(JSON.parse(text), context, depth + 1);
    } catch {
      // No JSON.
    }
  };

  const walk = (value: unknown, context: KeyContext, depth: number): void => {
    if (depth > MAX_DEPTH) {
      tooDeep = true;
      return;
    }
    if (typeof value === 'string') {
      leaf(value, context, depth === 1);
      within(value, context, depth);
    } else if (Array.isArray(value)) {
      value.forEach((each, index) => {
        walk(each, { ...context, key: `${context.key}[${index}]` }, depth + 1);
      });
    } else if (typeof value === 'object' && value !== null) {
      for (const [child, each] of Object.entries(value)) {
        const key = context.key === '' ? child : `${context.key}.${child}`;
        const kind = keyKind(child);
        // `files: {".env": "…"}`: the keys are the paths.
        if ((context.pathLike || foreign) && context.kind !== 'prose' && looksLikePath(child))
          uses.push({ path: child, key, argument: context.pathLike });
        const inherited = kind === 'other' && context.kind !== 'command' ? context.kind : kind;
        const pathLike = context.pathLike || kind === 'path';
        const globs = foreign ? (globKey(child) ?? context.globs) : undefined;
        walk(each, { name: plainKey(child), kind: inherited, key, pathLike, globs }, depth + 1);
      }
    }
  };
  walk(input, { name: '', kind: 'other', key: '', pathLike: false, globs: undefined }, 0);
  if (toolName === 'Grep' && options.context.fs?.symlinks !== undefined && !uses.some((use) => use.key === 'glob')) {
    // Files that the view lists below are searched, too; nothing is known of the rest.
    for (const { path, glob } of globSegmentsIn(folder, '**')) uses.push({ path, glob, key: 'path', argument: false });
  }
  return { uses, tooDeep };
}
