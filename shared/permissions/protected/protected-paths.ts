/** Checks protected paths in every spelling and mode. Nothing lifts a match. */
import { checkSettings, flag, texts } from '../../domain/settings.ts';
import { isBuiltInReader } from '../model/tools.ts';
import { collectPaths } from '../paths/collect.ts';
import { GlobNames, matchPattern } from '../paths/glob-match.ts';
import { type GlobPath, type GlobTokens, globPaths, mayBeAny } from '../paths/glob-path.ts';
import { type NormalisedPath, normalisePath, type PathContext, type Segments } from '../paths/normalise.ts';
import { deniesPath, type PathPattern, PathPatternError, parsePathPattern, segmentTokens } from '../paths/pattern.ts';
import { isShortNameOf } from '../paths/short-names.ts';
import type { ShellParser } from '../shell/syntax/shell-parser.ts';
import { foldText } from '../text/characters.ts';
import { type GlobToken, matchesTokens } from '../text/glob.ts';
import { FIRST_WORDS } from './first-words.ts';
import { DEFAULT_PROTECTED, EXCEPTIONS, WRITE_PROTECTED } from './protected-names.ts';

/** Whether a path is protected, and by which pattern. */
export type ProtectedPathResult =
  | { readonly kind: 'Safe' }
  | { readonly kind: 'Protected'; readonly matchedPattern: string; readonly path: string };

/** `certain`: the glob's literal part says the name. */
interface GlobHit {
  readonly pattern: string;
  readonly certain: boolean;
}

export interface NamePattern {
  readonly pattern: string;
  /** In its own case. */
  readonly exact: readonly (readonly GlobToken[])[];
  readonly segments: readonly (readonly GlobToken[])[];
  /** The text of each segment, folded: Windows knows a file by a short name of its own for each. */
  readonly texts: readonly string[];
  /** The beginning of its 8.3 short name, at most six characters. */
  readonly short: string;
  /** Counts at the root of the disk only. */
  readonly rooted: boolean;
  /** May be read. */
  readonly writesOnly: boolean;
  /** The first character of any name that it means, where that is certain. */
  readonly start: string | undefined;
  /** So many of its first letters are a word that other files begin with, too. */
  readonly firstWord: number;
  /** Single segments that it does not mean. */
  readonly except: readonly (readonly GlobToken[])[];
}

/** Whether a path is read or written; an unknown access may write. */
export type Access = 'read' | 'write';

interface CompiledNames {
  readonly names: ReadonlyMap<string, NamePattern>;
  /** `*.pem` by `pem`; looked up by what follows a segment's last dot. */
  readonly endings: ReadonlyMap<string, NamePattern>;
  /** Patterns of several segments, by a literal first one. */
  readonly chains: ReadonlyMap<string, readonly NamePattern[]>;
  readonly others: readonly NamePattern[];
  readonly all: readonly NamePattern[];
  /** All of them, for globs. */
  readonly globs: GlobNames;
}

interface Compiled extends CompiledNames {
  readonly custom: readonly CustomPattern[];
}

interface CustomPattern {
  readonly text: string;
  readonly pattern: PathPattern;
}

const ANYWHERE: PathContext = { cwd: '/', projectRoot: '/', home: '/home/user' };

/** `.env.*` means at least one character after the dot. */
const nameTokens = (name: string): readonly (readonly GlobToken[])[] =>
  name.split('/').map((part) => segmentTokens(part.endsWith('.*') ? `${part.slice(0, -1)}?*` : part));

function compileName(pattern: string, writesOnly: boolean): NamePattern {
  const rooted = pattern.startsWith('/');
  const written = rooted ? pattern.slice(1) : pattern;
  const folded = foldText(written);
  const bare = folded.startsWith('.') ? folded.slice(1) : folded;
  const dot = bare.indexOf('.');
  const segments = nameTokens(folded);
  const first = segments[0]?.[0];
  return {
    pattern,
    exact: nameTokens(written),
    segments,
    texts: folded.split('/'),
    start: first?.kind === 'char' ? first.char : undefined,
    short: (dot < 0 ? bare : bare.slice(0, dot)).slice(0, 6),
    rooted,
    writesOnly,
    firstWord: FIRST_WORDS.get(pattern)?.length ?? 0,
    except: (EXCEPTIONS.get(pattern) ?? []).map((name) => segmentTokens(foldText(name))),
  };
}

let builtIn: CompiledNames | undefined;

function compile(names: readonly string[]): CompiledNames {
  if (names !== DEFAULT_PROTECTED) return compileNames(names);
  // Nearly every checker protects these, and a policy file makes several.
  builtIn ??= compileNames(names);
  return builtIn;
}

function compileNames(names: readonly string[]): CompiledNames {
  const all = names.map((name) => compileName(name, READABLE.has(name)));
  const literals = new Map<string, NamePattern>();
  const endings = new Map<string, NamePattern>();
  const chains = new Map<string, NamePattern[]>();
  const others: NamePattern[] = [];
  for (const each of all) {
    const folded = foldText(each.pattern);
    const [first = '', ...rest] = folded.split('/').filter((part) => part !== '');
    if ((rest.length > 0 || each.rooted) && !first.includes('*'))
      chains.set(first, [...(chains.get(first) ?? []), each]);
    else if (rest.length > 0) others.push(each);
    else if (!folded.includes('*')) literals.set(folded, each);
    else if (folded.startsWith('*.') && !folded.slice(2).includes('*') && !folded.slice(2).includes('.')) {
      endings.set(folded.slice(2), each);
    } else others.push(each);
  }
  return {
    all,
    globs: new GlobNames(all),
    names: literals,
    endings,
    chains,
    others,
  };
}

const READABLE: ReadonlySet<string> = new Set(WRITE_PROTECTED);

function isDigits(text: string): boolean {
  return text.length > 0 && text.length <= 6 && [...text].every((char) => char >= '0' && char <= '9');
}

/** `git~1`, `GITCON~2`, `gi7eba~1`: an 8.3 short name that could stand for a protected name. */
function shortNameOf(segment: string, name: NamePattern): boolean {
  const tilde = segment.indexOf('~');
  if (name.short.includes('*')) return false;
  const base = segment.slice(0, tilde);
  const number = segment.slice(tilde + 1).split('.')[0] ?? '';
  if (!isDigits(number)) return false;
  if (base === name.short) return true;
  const hash = base.slice(2);
  return (
    base.length === 6 &&
    name.short.startsWith(base.slice(0, 2)) &&
    [...hash].every((char) => '0123456789abcdef'.includes(char))
  );
}

/**
 * Immutable: each `with…` gives a new checker, as in the contract's builder.
 *
 * @example
 * const protectedPaths = new ProtectedPathChecker({ custom: ['infra/production'] });
 * console.log(new PermissionService({ protectedPaths }).mode);
 */
export class ProtectedPathChecker {
  readonly #names: readonly string[];
  readonly #custom: readonly string[];
  readonly #enabled: boolean;
  readonly #compiled: Compiled;
  /** Remembers the last context's results by word, because several stages ask. */
  readonly #looked = new WeakMap<
    GlobTokens,
    { readonly context: PathContext; readonly access: Access; readonly hit: GlobHit | undefined }
  >();

  /** Without `names` the default list (protected-names.ts) is protected. */
  constructor(options: { names?: readonly string[]; custom?: readonly string[]; enabled?: boolean } = {}) {
    checkSettings(options, { names: texts, custom: texts, enabled: flag });
    this.#names = options.names ?? DEFAULT_PROTECTED;
    this.#custom = options.custom ?? [];
    this.#enabled = options.enabled ?? true;
    const custom = this.#custom.map((text) => ({ text, pattern: parsePathPattern(text) }));
    this.#compiled = { ...compile(this.#names), custom };
  }

  /** Adds a pattern in gitignore syntax, such as `secrets/`. Throws `PathPatternError` on a malformed one. */
  withPattern(pattern: string): ProtectedPathChecker {
    return this.withPatterns([pattern]);
  }

  /** @throws PathPatternError for a pattern that cannot be read. */
  withPatterns(patterns: readonly string[]): ProtectedPathChecker {
    if (patterns.some((each) => each.trim() === '')) throw new PathPatternError('a protected pattern is blank');
    return new ProtectedPathChecker({
      names: this.#names,
      custom: [...this.#custom, ...patterns],
      enabled: this.#enabled,
    });
  }

  /** Only a deployment removes default patterns. */
  withoutPatterns(patterns: readonly string[]): ProtectedPathChecker {
    const removed = new Set(patterns.map((each) => (each.startsWith('*') ? each.slice(1) : each)));
    const names = this.#names.filter((each) => !removed.has(each.startsWith('*') ? each.slice(1) : each));
    const left = names.length === this.#names.length ? this.#names : names;
    return new ProtectedPathChecker({ names: left, custom: this.#custom, enabled: this.#enabled });
  }

  /** Turns all checks off; library use only. */
  disabled(): ProtectedPathChecker {
    return new ProtectedPathChecker({ names: this.#names, custom: this.#custom, enabled: false });
  }

  get patterns(): readonly string[] {
    return this.#enabled ? [...this.#names, ...this.#custom] : [];
  }

  /** @internal Names at any depth that may not be read, and patterns of a deployment. */
  get unreadable(): { readonly names: readonly NamePattern[]; readonly custom: readonly CustomPattern[] } {
    if (!this.#enabled) return { names: [], custom: [] };
    const { all, custom } = this.#compiled;
    return { names: all.filter(({ writesOnly }) => !writesOnly), custom };
  }

  /** @internal The pattern that protects any spelling of the path against the access, if one does. */
  matchPath(path: NormalisedPath, context: PathContext, access: Access = 'write'): string | undefined {
    if (!this.#enabled) return undefined;
    for (const spelling of path.folded) {
      const hit = this.#matchSegments(spelling, access);
      if (hit !== undefined) return hit;
    }
    return this.#compiled.custom.find(({ pattern }) => deniesPath(pattern, path, context))?.text;
  }

  #matchSegments(path: Segments, access: Access): string | undefined {
    const { names, endings, chains, others, all } = this.#compiled;
    const protects = (name: NamePattern | undefined): name is NamePattern =>
      name !== undefined && (access === 'write' || !name.writesOnly);
    for (let at = 0; at < path.length; at++) {
      const segment = path[at] as string;
      const name = names.get(segment);
      if (protects(name)) return name.pattern;
      if (segment.includes('~')) {
        const short = all.find(
          (each) =>
            protects(each) && (each.segments.length === 1 ? shortNameOf(segment, each) : matchesFrom(each, path, at)),
        );
        if (short !== undefined) return short.pattern;
      }
      const dot = segment.lastIndexOf('.');
      const ending = dot < 0 ? undefined : endings.get(segment.slice(dot + 1));
      if (protects(ending)) return ending.pattern;
      const chain = chains.get(segment)?.find((other) => protects(other) && matchesFrom(other, path, at));
      if (chain !== undefined) return chain.pattern;
      const general = others.find(
        (other) =>
          (other.start === undefined || segment.startsWith(other.start)) &&
          protects(other) &&
          matchesFrom(other, path, at),
      );
      if (general !== undefined) return general.pattern;
    }
    return undefined;
  }

  /**
   * @internal
   * The pattern that a glob or brace word counts as, if its literal part says so; one that it only may match is not
   * `certain`. The word is read in its folder, and behind known links.
   */
  matchGlob(stated: string, glob: GlobTokens, context: PathContext, access: Access = 'write'): GlobHit | undefined {
    if (!this.#enabled) return undefined;
    const known = this.#looked.get(glob);
    if (known?.context === context && known.access === access) return known.hit;
    const hit = this.#matchGlobPaths(stated, glob, context, access);
    this.#looked.set(glob, { context, access, hit });
    return hit;
  }

  #matchGlobPaths(stated: string, glob: GlobTokens, context: PathContext, access: Access): GlobHit | undefined {
    let possible: GlobHit | undefined;
    for (const path of globPaths(stated, glob, context)) {
      const hit = this.#matchGlobPath(path, context, access);
      if (hit?.certain === true && !path.isGuess) return hit;
      if (hit !== undefined) possible ??= { ...hit, certain: false };
    }
    return possible;
  }

  #matchGlobPath(path: GlobPath, context: PathContext, access: Access): GlobHit | undefined {
    let possible: GlobHit | undefined;
    const named = this.#compiled.globs.match(path, access);
    if (named !== undefined) possible = { pattern: named.pattern, certain: named.match === 'certain' };
    if (possible?.certain === true) return possible;
    for (const { text, pattern } of this.#compiled.custom) {
      const match = matchPattern(pattern, path, context);
      if (match === 'certain') return { pattern: text, certain: true };
      if (match === 'possible') possible ??= { pattern: text, certain: false };
    }
    return possible;
  }

  /**
   * With a loaded parser a shell command is analysed; without one it is read word by word. There is no answer
   * between the two, so a glob that only may match is `Protected`, too.
   */
  check(toolName: string, input: unknown): ProtectedPathResult;
  /** @internal */
  check(toolName: string, input: unknown, options?: CheckPathsOptions): ProtectedPathResult;
  check(toolName: string, input: unknown, options: CheckPathsOptions = {}): ProtectedPathResult {
    const context: PathContext = options.context ?? ANYWHERE;
    const command = ownCommand(input);
    const analysed = options.shell !== undefined && command !== undefined;
    const words = analysed ? options.shell.analyse(command, context).paths : [];
    const { uses } = collectPaths(toolName, input, { context, commandAnalysed: analysed });
    const access: Access = isBuiltInReader(toolName) ? 'read' : 'write';
    const named = uses.map((use) => ({ ...use, dir: context.cwd, access }));
    const dir = context.cwd;
    const folder = dir === context.projectRoot ? [] : [{ path: dir, glob: undefined, dir, access: 'read' as const }];
    for (const each of [...named, ...folder, ...words]) {
      const { path, glob } = each;
      // A program that is not known to read only may write.
      const done = each.access === 'read' ? 'read' : 'write';
      const at = { ...context, cwd: each.dir };
      const hit =
        glob === undefined
          ? this.matchPath(normalisePath(path, at), at, done)
          : (this.matchGlob(path, glob, at, done)?.pattern ??
            // Such a glob may name any protected file.
            (mayBeAny(path, glob, at) ? this.patterns[0] : undefined));
      if (hit !== undefined) return { kind: 'Protected', matchedPattern: hit, path };
    }
    return { kind: 'Safe' };
  }
}

function matchesFrom({ segments, texts, rooted, except }: NamePattern, path: Segments, at: number): boolean {
  if (rooted && at > 0) return false;
  if (except.some((tokens) => matchesTokens(tokens, path[at] as string))) return false;
  return segments.every((tokens, offset) => {
    const segment = path[at + offset];
    if (segment === undefined) return false;
    return matchesTokens(tokens, segment) || isShortNameOf(segment, texts[offset] as string);
  });
}

interface CheckPathsOptions {
  readonly context?: PathContext | undefined;
  readonly shell?: ShellParser | undefined;
}

function ownCommand(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'command')) return undefined;
  const { command } = input as { readonly command?: unknown };
  return typeof command === 'string' ? command : undefined;
}
