/** Protected paths (D3, R4-096 …): segment by segment, in every spelling, whatever the mode. Nothing lifts a match. */

import { analyseCommand } from '../shell/analyse.ts';
import type { ShellParser } from '../shell/parser.ts';
import { foldText } from '../text/characters.ts';
import { type GlobToken, literalTokens, matchesTokens, tokensIntersect } from '../text/glob.ts';
import { isBuiltInReader } from '../tools.ts';
import { collectPaths } from './collect.ts';
import { fixedSegments, type JudgedPath, judgePath, type PathContext, type Segments } from './normalise.ts';
import { deniesPath, type PathPattern, PathPatternError, parsePathPattern, segmentTokens } from './pattern.ts';
import { DEFAULT_PROTECTED, EXCEPTIONS, WRITE_PROTECTED } from './protected-names.ts';

export type ProtectedPathResult =
  | { readonly kind: 'Safe' }
  | { readonly kind: 'Protected'; readonly matchedPattern: string; readonly path: string };

interface NamePattern {
  readonly pattern: string;
  readonly segments: readonly (readonly GlobToken[])[];
  /** What an 8.3 short name of it would begin with, at most six characters. */
  readonly short: string;
  /** Counts at the root of the disk only. */
  readonly rooted: boolean;
  /** May be read. */
  readonly writesOnly: boolean;
  /** Single segments that it does not mean. */
  readonly except: readonly (readonly GlobToken[])[];
}

/** What is done to a path; where that is not known, it may be written. */
export type Access = 'read' | 'write';

interface Compiled {
  readonly names: ReadonlyMap<string, NamePattern>;
  /** `*.pem` by `pem`; looked up by what follows a segment's last dot. */
  readonly endings: ReadonlyMap<string, NamePattern>;
  /** Patterns of several segments, by a literal first one. */
  readonly chains: ReadonlyMap<string, readonly NamePattern[]>;
  readonly others: readonly NamePattern[];
  readonly all: readonly NamePattern[];
  readonly custom: readonly { readonly text: string; readonly pattern: PathPattern }[];
}

const ANYWHERE: PathContext = { cwd: '/', projectRoot: '/', home: '/home/user' };

function compileName(pattern: string, writesOnly: boolean): NamePattern {
  const rooted = pattern.startsWith('/');
  const folded = foldText(rooted ? pattern.slice(1) : pattern);
  const bare = folded.startsWith('.') ? folded.slice(1) : folded;
  const dot = bare.indexOf('.');
  return {
    pattern,
    // `.env.*` means at least one character after the dot.
    segments: folded
      .split('/')
      .map((part) => [...segmentTokens(part.endsWith('.*') ? `${part.slice(0, -1)}?*` : part)]),
    short: (dot < 0 ? bare : bare.slice(0, dot)).slice(0, 6),
    rooted,
    writesOnly,
    except: (EXCEPTIONS.get(pattern) ?? []).map((name) => segmentTokens(foldText(name))),
  };
}

function compile(names: readonly string[], custom: readonly string[]): Compiled {
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
    names: literals,
    endings,
    chains,
    others,
    custom: custom.map((text) => ({ text, pattern: parsePathPattern(text) })),
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

/** Immutable: each `with…` gives a new checker, as in the seed's builder (R4-100). */
export class ProtectedPathChecker {
  readonly #names: readonly string[];
  readonly #custom: readonly string[];
  readonly #enabled: boolean;
  readonly #compiled: Compiled;

  /** The protected names of R4-096 … R4-098 and rules.md, "Paths". */
  constructor(options: { names?: readonly string[]; custom?: readonly string[]; enabled?: boolean } = {}) {
    this.#names = options.names ?? DEFAULT_PROTECTED;
    this.#custom = options.custom ?? [];
    this.#enabled = options.enabled ?? true;
    this.#compiled = compile(this.#names, this.#custom);
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

  /** Only a deployment removes default patterns (rules.md, "Paths"). */
  withoutPatterns(patterns: readonly string[]): ProtectedPathChecker {
    const removed = new Set(patterns.map((each) => (each.startsWith('*') ? each.slice(1) : each)));
    const names = this.#names.filter((each) => !removed.has(each.startsWith('*') ? each.slice(1) : each));
    return new ProtectedPathChecker({ names, custom: this.#custom, enabled: this.#enabled });
  }

  /** Turns all checks off; library use only. */
  disabled(): ProtectedPathChecker {
    return new ProtectedPathChecker({ names: this.#names, custom: this.#custom, enabled: false });
  }

  get patterns(): readonly string[] {
    return this.#enabled ? [...this.#names, ...this.#custom] : [];
  }

  /** The pattern that protects any spelling of the path against the access, if one does. */
  matchPath(path: JudgedPath, context: PathContext, access: Access = 'write'): string | undefined {
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
        const short = all.find((each) => each.segments.length === 1 && shortNameOf(segment, each));
        if (protects(short)) return short.pattern;
      }
      const dot = segment.lastIndexOf('.');
      const ending = dot < 0 ? undefined : endings.get(segment.slice(dot + 1));
      if (protects(ending)) return ending.pattern;
      const chain = chains.get(segment)?.find((other) => protects(other) && matchesFrom(other, path, at));
      if (chain !== undefined) return chain.pattern;
      const general = others.find((other) => protects(other) && matchesFrom(other, path, at));
      if (general !== undefined) return general.pattern;
    }
    return undefined;
  }

  /**
   * A glob or brace word that could match a protected name under the shell's rules counts as that name: a leading dot
   * must be literal, and the segment must hold at least one literal character (rules.md, "Paths"). A name of several
   * segments may begin in the folder that the glob stands in.
   */
  matchGlob(
    segments: readonly (readonly GlobToken[])[],
    folder: Segments = [],
    access: Access = 'write',
  ): string | undefined {
    if (!this.#enabled) return undefined;
    const { all, custom } = this.#compiled;
    const whole = folder.length === 0 ? segments : standing(segments, folder);
    for (const name of all) {
      if (access === 'read' && name.writesOnly) continue;
      if (!name.rooted && couldHold(segments, name)) return name.pattern;
      if ((name.rooted || (whole !== segments && name.segments.length > 1)) && couldHold(whole, name))
        return name.pattern;
    }
    for (const { text, pattern } of custom) {
      if (couldPassThrough(segments, pattern) || (whole !== segments && couldPassThrough(whole, pattern))) return text;
    }
    return undefined;
  }

  /** R4-099. With a loaded parser a shell command is analysed; without one it is read word by word. */
  check(toolName: string, input: unknown, options: CheckPathsOptions = {}): ProtectedPathResult {
    const context: PathContext = options.context ?? ANYWHERE;
    const command = ownCommand(input);
    const analysed = options.shell !== undefined && command !== undefined;
    const words = analysed ? analyseCommand(command, options.shell, context).paths : [];
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
          ? this.matchPath(judgePath(path, at), at, done)
          : this.matchGlob(glob, globFolder(path, at), done);
      if (hit !== undefined) return { kind: 'Protected', matchedPattern: hit, path };
    }
    return { kind: 'Safe' };
  }
}

/** The folder that a relative glob stands in; none for an absolute one, which names its folders itself. */
export function globFolder(stated: string, { cwd }: PathContext): Segments {
  return stated.startsWith('/') || stated.startsWith('~') ? [] : fixedSegments(cwd);
}

const UP: readonly GlobToken[] = literalTokens('..');
const isUp = (tokens: readonly GlobToken[]): boolean =>
  tokens.length === UP.length && tokens.every((token) => token.kind === 'char' && token.char === '.');

/** The glob behind its folder, with `..` resolved. */
function standing(glob: readonly (readonly GlobToken[])[], folder: Segments): (readonly GlobToken[])[] {
  const segments: (readonly GlobToken[])[] = folder.map((name) => literalTokens(foldText(name)));
  for (const tokens of glob) {
    if (isUp(tokens)) segments.pop();
    else segments.push(tokens);
  }
  return segments;
}

/** Whether the segments of the name could stand somewhere in the glob. */
function couldHold(glob: readonly (readonly GlobToken[])[], { segments, rooted }: NamePattern): boolean {
  const last = rooted ? 0 : glob.length - segments.length;
  for (let at = 0; at <= last && at + segments.length <= glob.length; at++) {
    if (segments.every((tokens, offset) => couldMatch(glob[at + offset] as readonly GlobToken[], tokens))) return true;
  }
  return false;
}

function matchesFrom({ segments, rooted, except }: NamePattern, path: Segments, at: number): boolean {
  if (rooted && at > 0) return false;
  if (except.some((tokens) => matchesTokens(tokens, path[at] as string))) return false;
  return segments.every((tokens, offset) => {
    const segment = path[at + offset];
    return segment !== undefined && matchesTokens(tokens, segment);
  });
}

export interface CheckPathsOptions {
  readonly context?: PathContext | undefined;
  readonly shell?: ShellParser | undefined;
}

function ownCommand(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'command')) return undefined;
  const { command } = input as { readonly command?: unknown };
  return typeof command === 'string' ? command : undefined;
}

/** The pattern's names one after the other, at any depth; what `**` and `..` stand for may be anything in between. */
function couldPassThrough(glob: readonly (readonly GlobToken[])[], { segments }: PathPattern): boolean {
  let at = 0;
  let run: (readonly GlobToken[])[] = [];
  for (const segment of [...segments, undefined]) {
    if (segment?.kind === 'name') {
      run.push(segment.folded.tokens);
      continue;
    }
    while (!run.every((name, offset) => couldBe(glob[at + offset], name))) if (++at > glob.length) return false;
    at += run.length;
    run = [];
  }
  return true;
}

const hasDot = (tokens: readonly GlobToken[]): boolean =>
  tokens.some((token) => token.kind === 'char' && token.char === '.');

const couldBe = (glob: readonly GlobToken[] | undefined, name: readonly GlobToken[]): boolean =>
  glob !== undefined && (name.every((token) => token.kind === 'run') || couldMatch(glob, name));

/** `*.pem` and its like: the ending must hold a literal character; `*.*` and `README*` name nothing in particular. */
function couldEndWith(glob: readonly GlobToken[], name: readonly GlobToken[]): boolean {
  const ending = (tokens: readonly GlobToken[]) =>
    tokens.slice(tokens.findLastIndex((token) => token.kind === 'char' && token.char === '.') + 1);
  if (!hasDot(glob)) return false;
  const last = shortened(ending(glob));
  return last.some((token) => token.kind === 'char') && tokensIntersect(last, ending(name));
}

/** More tokens than any protected name has characters: what follows cannot matter to it. */
const MAX_TOKENS = 64;

function shortened(glob: readonly GlobToken[]): readonly GlobToken[] {
  return glob.length > MAX_TOKENS ? [...glob.slice(0, MAX_TOKENS), { kind: 'run' }] : glob;
}

function couldMatch(long: readonly GlobToken[], name: readonly GlobToken[]): boolean {
  if (name[0]?.kind === 'run' && hasDot(name)) return couldEndWith(long, name);
  // `id_rsa_*` is open at its end, where any `x*.ts` would meet it: only what begins like it counts.
  const isOpen = name.at(-1)?.kind === 'run' && name[0]?.kind === 'char' && name[0].char !== '.';
  if (isOpen && long.slice(0, 3).some((token) => token.kind !== 'char')) return false;
  const glob = shortened(long);
  const literals = glob.filter((token) => token.kind === 'char');
  if (literals.length === glob.length) return tokensIntersect(glob, name);
  const first = name[0];
  if (first?.kind === 'char' && first.char === '.') {
    if (glob[0]?.kind !== 'char') return false;
  } else if (literals.every((token) => token.char === '.')) {
    // `*.*` names nothing in particular.
    return false;
  }
  return tokensIntersect(glob, name);
}
