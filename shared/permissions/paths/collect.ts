/** Collects the paths that a call names: every string leaf of a path-like key, nested. */
import { ownValue } from '../../domain/own.ts';
import { globKey, type KeyKind, keyKind, looksLikePath } from '../../domain/path-keys.ts';
import { isBuiltInTool } from '../model/tools.ts';
import { foldText } from '../text/characters.ts';
import type { GlobToken } from '../text/glob.ts';
import { type GlobWord, globSegments, globSegmentsIn, isLeftOut, listedGlobs } from './glob-word.ts';
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
  /** An address of another machine stands where a path may: whatever the call reads or writes there lies outside of the project. */
  readonly namesElsewhere: boolean;
  /** Nested too deep to look at whole: the caller answers `error`. */
  readonly tooDeep: boolean;
}

interface CollectOptions {
  readonly context: PathContext;
  /** True when the shell analysis looks at the top-level `command` itself. */
  readonly commandAnalysed?: boolean | undefined;
}

/** Keys that hold patches, as plain keys. */
const PATCH_KEY = /^(?:patch(?:es)?|diffs?|input)$/;
/** `patch_text`, `unifiedDiff`. Among paths, and as `diff_target`, such a key names one, with or without blanks. */
const LIKE_PATCH_KEY = /^(?:patch|diff)|(?:patch(?:es)?|diffs?)$/;
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

/** `https://x/y`, `s3://x/y`: an address, and no file of this machine. */
function isElsewhere(text: string): boolean {
  return SCHEME.test(text) && !isFileUrl(text);
}

const SCHEME = /^\s*[a-z][a-z\d+.-]*:\/\//i;
const ADDRESS_KEYS: ReadonlySet<string> = new Set(['url', 'urls']);

function isFileUrl(text: string): boolean {
  return text.trimStart().slice(0, 5).toLowerCase() === 'file:';
}

/** A patch has lines; a single word under `input` is no patch. */
function holdsPatch(text: string): boolean {
  return !looksLikePath(text);
}

/** The lines of such a patch name no files, but for its headers. */
const isCodexPatch = (text: string): boolean => text.trimStart().startsWith('*** Begin Patch');

/** Where in the input a text stands. */
interface KeyContext {
  readonly name: string;
  readonly kind: KeyKind;
  readonly key: string;
  /** Under a key that names paths. */
  readonly pathLike: boolean;
  /** Under a key of an unknown tool that holds globs. */
  readonly globs: 'list' | 'word' | undefined;
  readonly mayBePatch: boolean;
  /** A field of the input itself, or a member of a list there. */
  readonly isTop: boolean;
}

/** `Glob` and `Grep` look below this path; without it, below the call's folder. */
function searchedFolder(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const folder = ownValue(input as Record<string, unknown>, 'path');
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
  // The text itself is looked at as a path already; `{.env,x}` is two others.
  return pathLike || kind === 'maybe'
    ? globSegments(text).filter(({ path, glob }) => glob !== undefined || path !== text)
    : [];
}

const ROOT: KeyContext = {
  name: '',
  kind: 'other',
  key: '',
  pathLike: false,
  globs: undefined,
  mayBePatch: false,
  isTop: false,
};

export function collectPaths(toolName: string, input: unknown, options: CollectOptions): CollectedPaths {
  const collector = new Collector(toolName, searchedFolder(input), options.commandAnalysed === true);
  collector.walk(input, ROOT, 0);
  const { uses, tooDeep, namesElsewhere } = collector;
  if (toolName === 'Grep' && options.context.fs?.symlinks !== undefined && !uses.some((use) => use.key === 'glob')) {
    // Files that the view lists below are searched, too; nothing is known of the rest.
    for (const { path, glob } of globSegmentsIn(searchedFolder(input), '**'))
      uses.push({ path, glob, key: 'path', argument: false });
  }
  return { uses, tooDeep, namesElsewhere };
}

/** Walks through an input, and notes the path uses of each text in it. */
class Collector {
  readonly uses: PathUse[] = [];
  tooDeep = false;
  namesElsewhere = false;
  readonly #tool: string;
  /** An unknown tool may do anything with a text. */
  readonly #foreign: boolean;
  /** Codex gives the patch of this tool under `command`, and no shell reads it. */
  readonly #patches: boolean;
  readonly #folder: string | undefined;
  readonly #commandAnalysed: boolean;

  constructor(tool: string, folder: string | undefined, commandAnalysed: boolean) {
    this.#tool = tool;
    this.#foreign = !isBuiltInTool(tool);
    this.#patches = tool === 'apply_patch';
    this.#folder = folder;
    this.#commandAnalysed = commandAnalysed;
  }

  walk(value: unknown, context: KeyContext, depth: number): void {
    if (depth > MAX_DEPTH) {
      this.tooDeep = true;
    } else if (typeof value === 'string') {
      this.#leaf(value, context, context.isTop);
      this.#within(value, context, depth);
    } else if (Array.isArray(value)) {
      value.forEach((each, index) => {
        this.walk(each, { ...context, key: `${context.key}[${index}]` }, depth + 1);
      });
    } else if (typeof value === 'object' && value !== null) {
      for (const [child, each] of Object.entries(value))
        this.walk(each, this.#childOf(context, child, depth === 0), depth + 1);
    }
  }

  /** The context under a key of an object; the key itself may be a path, as in `files: {".env": "…"}`. */
  #childOf(context: KeyContext, child: string, isTop: boolean): KeyContext {
    const key = context.key === '' ? child : `${context.key}.${child}`;
    const kind = keyKind(child);
    const name = plainKey(child);
    const pathLike = context.pathLike || kind === 'path';
    if ((context.pathLike || this.#foreign) && context.kind !== 'prose' && looksLikePath(child))
      this.uses.push({ path: child, key, argument: context.pathLike });
    return {
      name,
      kind: kind === 'other' && context.kind !== 'command' ? context.kind : kind,
      key,
      pathLike,
      globs: this.#foreign ? (globKey(child) ?? context.globs) : undefined,
      mayBePatch: PATCH_KEY.test(name) || (!pathLike && LIKE_PATCH_KEY.test(name)),
      isTop,
    };
  }

  #leaf(text: string, context: KeyContext, top: boolean): void {
    const { name, kind, key } = context;
    if ((context.pathLike || kind === 'maybe' || ADDRESS_KEYS.has(name)) && isElsewhere(text))
      this.namesElsewhere = true;
    if (this.#foreign && kind !== 'prose' && !isWebUrl(text)) {
      this.#note(possibleGlobs(text, context), key, false);
      if (context.globs !== undefined && isLeftOut(text)) return;
    }
    if (this.#patches && kind === 'command' && isCodexPatch(text)) {
      for (const path of patchHeaders(text)) this.uses.push({ path, key, argument: true });
    } else if (kind === 'command' && !(top && name === 'command' && this.#commandAnalysed)) {
      this.#note(scanCommandText(text), key, false);
    } else if (name === 'url' || name === 'uri') {
      this.#address(text, name, key);
    } else if (top && isSearchField(this.#tool, name)) {
      this.#note(searched(this.#tool, name, text, this.#folder), key, true);
    } else if (context.mayBePatch && holdsPatch(text)) {
      for (const path of patchHeaders(text)) this.uses.push({ path, key, argument: true });
    } else if (!isWebUrl(text)) {
      this.#plain(text, context);
    }
  }

  /** A web address is judged as an address, and is no path. */
  #address(text: string, name: 'url' | 'uri', key: string): void {
    if (isFileUrl(text)) this.uses.push({ path: text.trim(), key, argument: true });
    else if (isWebUrl(text)) return;
    else if (name === 'uri') this.uses.push({ path: text, key, argument: true });
    else if (this.#foreign && looksLikePath(text)) this.uses.push({ path: text, key, argument: false });
  }

  #plain(text: string, { kind, key, pathLike }: KeyContext): void {
    if (pathLike || (kind === 'maybe' && looksLikePath(text))) {
      this.uses.push({ path: text, key, argument: true });
    } else if (this.#foreign && kind !== 'prose' && looksLikePath(text)) {
      // Deny rules and protected names apply to it all the same.
      this.uses.push({ path: isFileUrl(text) ? text.trim() : text, key, argument: false });
    }
  }

  /** JSON within a text is walked like the input itself. */
  #within(text: string, context: KeyContext, depth: number): void {
    const start = text.trimStart()[0];
    if (!this.#foreign || context.kind === 'prose' || (start !== '{' && start !== '[')) return;
    try {
      this.walk(JSON.parse(text), context, depth + 1);
    } catch {
      // No JSON.
    }
  }

  #note(words: Iterable<GlobWord>, key: string, argument: boolean): void {
    for (const { path, glob } of words) this.uses.push({ path, glob, key, argument });
  }
}

const isSearchField = (tool: string, name: string): boolean =>
  (tool === 'Glob' && name === 'pattern') || (tool === 'Grep' && name === 'glob');
