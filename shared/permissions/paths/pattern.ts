/** Matches path patterns in gitignore syntax, segment by segment, never by string prefix. */
import { foldText } from '../text/characters.ts';
import { type GlobToken, literalTokens, matchesTokens } from '../text/glob.ts';
import {
  fixedSegments,
  type NormalisedPath,
  type PathContext,
  type Segments,
  startsWithSegments,
} from './normalise.ts';
import { isShortNameOf } from './short-names.ts';

type PathAnchor = 'root' | 'home' | 'project' | 'relative';

/** A segment's tokens, and the text that they are if none of them is a wildcard. */
interface Name {
  readonly tokens: readonly GlobToken[];
  readonly text: string | undefined;
}

/** One segment of a pattern: `**`, or a name in its own case and folded. */
export type PatternSegment =
  | { readonly kind: 'deep' }
  | { readonly kind: 'name'; readonly exact: Name; readonly folded: Name }
  | { readonly kind: 'up' };

export interface PathPattern {
  readonly anchor: PathAnchor;
  readonly segments: readonly PatternSegment[];
  /** A trailing slash: everything below. */
  readonly below: boolean;
}

export class PathPatternError extends Error {
  override readonly name = 'PathPatternError';
}

interface TokenRead {
  readonly token: GlobToken;
  readonly next: number;
}

const range = (low: string, high: string): readonly [string, string] => [low, high];
const LETTERS = [range('a', 'z'), range('A', 'Z')];
const DIGITS = [range('0', '9')];

/** The classes of gitignore (git, wildmatch.c), which are ASCII only. */
const CLASSES: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map([
  ['alnum', [...LETTERS, ...DIGITS]],
  ['alpha', LETTERS],
  ['blank', [range(' ', ' '), range('\t', '\t')]],
  ['cntrl', [range('\0', '\x1f'), range('\x7f', '\x7f')]],
  ['digit', DIGITS],
  ['graph', [range('!', '~')]],
  ['lower', [range('a', 'z')]],
  ['print', [range(' ', '~')]],
  ['punct', [range('!', '/'), range(':', '@'), range('[', '`'), range('{', '~')]],
  ['space', [range('\t', '\r'), range(' ', ' ')]],
  ['upper', [range('A', 'Z')]],
  ['xdigit', [...DIGITS, range('a', 'f'), range('A', 'F')]],
]);

/** `[:alpha:]` within a set; the end is behind it. */
function readClass(chars: readonly string[], start: number): { ranges: (readonly [string, string])[]; next: number } {
  const kind = chars[start + 1] as string;
  const end = chars.findIndex((char, at) => at > start + 1 && char === kind && chars[at + 1] === ']');
  const name = chars.slice(start + 2, end < 0 ? chars.length : end).join('');
  const ranges = kind === ':' && end >= 0 ? CLASSES.get(name) : undefined;
  if (ranges === undefined)
    throw new PathPatternError(`the class [${kind}${name.slice(0, 20)} is not known; a literal bracket is written \\[`);
  return { ranges: [...ranges], next: end + 2 };
}

/** `[a-z]`, `[!a]`, `[[:alpha:]]`; a `]` directly after the opening is literal. */
function readSet(chars: readonly string[], start: number): TokenRead {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at++;
  const ranges: (readonly [string, string])[] = [];
  for (let first = true; ; first = false) {
    const char = chars[at];
    if (char === undefined) throw new PathPatternError('the bracket is not closed; a literal bracket is written \\[');
    if (char === ']' && !first) return { token: { kind: 'set', negated, ranges }, next: at + 1 };
    if (char === '[' && [':', '.', '='].includes(chars[at + 1] ?? '')) {
      const found = readClass(chars, at);
      ranges.push(...found.ranges);
      at = found.next;
      continue;
    }
    const low = char === '\\' ? chars[++at] : char;
    if (low === undefined) throw new PathPatternError('the pattern ends in a backslash');
    if (chars[at + 1] === '-' && chars[at + 2] !== ']') {
      ranges.push([low, chars[at + 2] as string]);
      at += 3;
    } else {
      ranges.push([low, low]);
      at += 1;
    }
  }
}

/** Tokens of one segment; `*` stays within it. */
export function segmentTokens(text: string): GlobToken[] {
  const chars = Array.from(text);
  const tokens: GlobToken[] = [];
  for (let at = 0; at < chars.length; ) {
    const char = chars[at] as string;
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'run') tokens.push({ kind: 'run' });
      at += 1;
    } else if (char === '?') {
      tokens.push({ kind: 'one' });
      at += 1;
    } else if (char === '[') {
      const { token, next } = readSet(chars, at);
      tokens.push(token);
      at = next;
    } else if (char === '\\') {
      const escaped = chars[at + 1];
      if (escaped === undefined) throw new PathPatternError('the pattern ends in a backslash');
      tokens.push({ kind: 'char', char: escaped });
      at += 2;
    } else {
      tokens.push({ kind: 'char', char });
      at += 1;
    }
  }
  return tokens;
}

/** Characters that stand together are folded together: a letter and its accent may be one character or two. */
function foldTokens(tokens: readonly GlobToken[]): GlobToken[] {
  const folded: GlobToken[] = [];
  let literal = '';
  const flush = () => {
    folded.push(...literalTokens(foldText(literal)));
    literal = '';
  };
  for (const token of tokens) {
    if (token.kind === 'char') {
      literal += token.char;
      continue;
    }
    flush();
    folded.push(token.kind === 'set' && !token.negated ? foldSet(token) : token);
  }
  flush();
  return folded;
}

const foldSet = (set: Extract<GlobToken, { kind: 'set' }>): GlobToken => ({
  ...set,
  ranges: set.ranges.flatMap(([low, high]) => [[low, high] as const, [low.toLowerCase(), high.toLowerCase()] as const]),
});

const nameOf = (tokens: readonly GlobToken[]): Name => ({
  tokens,
  text: tokens.every((token) => token.kind === 'char') ? tokens.map(({ char }) => char).join('') : undefined,
});

export const nameSegment = (tokens: readonly GlobToken[]): PatternSegment => ({
  kind: 'name',
  exact: nameOf(tokens),
  folded: nameOf(foldTokens(tokens)),
});

export const matchesName = ({ text, tokens }: Name, segment: string): boolean =>
  text === undefined ? matchesTokens(tokens, segment) : text === segment;

/** For a deny or ask: Windows finds a file by its short name, too. */
const mayBeName = (name: Name, segment: string): boolean =>
  matchesName(name, segment) || (name.text !== undefined && isShortNameOf(segment, name.text));

/** Reads a path specifier. Throws `PathPatternError` with a reason. */
export function parsePathPattern(spec: string): PathPattern {
  if (spec.startsWith('!')) throw new PathPatternError('a pattern cannot be negated; a literal ! is written \\!');
  let anchor: PathAnchor = 'relative';
  let rest = spec;
  if (spec.startsWith('//')) anchor = 'root';
  else if (spec === '~' || spec.startsWith('~/')) {
    anchor = 'home';
    rest = spec.slice(1);
  } else if (spec.startsWith('/')) anchor = 'project';
  const below = rest.endsWith('/');
  const segments: PatternSegment[] = [];
  for (const part of rest.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (segments.at(-1)?.kind === 'name') segments.pop();
      else segments.push({ kind: 'up' });
    } else if (part === '**') {
      if (segments.at(-1)?.kind !== 'deep') segments.push({ kind: 'deep' });
    } else {
      segments.push(nameSegment(segmentTokens(part)));
    }
  }
  if (segments.some((segment, index) => segment.kind === 'up' && segments[index - 1]?.kind === 'deep')) {
    throw new PathPatternError('".." after "**" names no folder');
  }
  return { anchor, segments, below };
}

/** Matches `path` from its segment `start` on; `open` leaves what follows to the pattern, too. */
function matchSegments(
  pattern: readonly PatternSegment[],
  path: Segments,
  start: number,
  fold: boolean,
  open: boolean,
): boolean {
  let at = 0;
  let from = start;
  let star = -1;
  let resume = 0;
  for (;;) {
    if (at === pattern.length && (open || from === path.length)) return true;
    const segment = pattern[at];
    if (from < path.length && segment?.kind === 'deep') {
      star = at++;
      resume = from;
    } else if (
      from < path.length &&
      segment?.kind === 'name' &&
      (fold ? mayBeName(segment.folded, path[from] as string) : matchesName(segment.exact, path[from] as string))
    ) {
      at++;
      from++;
    } else if (from === path.length && segment?.kind === 'deep') {
      at++;
    } else if (star >= 0 && resume < path.length) {
      at = star + 1;
      from = ++resume;
    } else {
      return false;
    }
  }
}

/** The folder that the pattern stands in, and what is left of the pattern. */
export function baseOf(
  pattern: PathPattern,
  context: PathContext,
): { base: Segments; rest: readonly PatternSegment[] } {
  const { anchor, segments } = pattern;
  const { home, projectRoot, cwd } = context;
  const base =
    anchor === 'root' ? [] : fixedSegments(anchor === 'home' ? home : anchor === 'project' ? projectRoot : cwd);
  let ups = 0;
  while (segments[ups]?.kind === 'up') ups++;
  return ups === 0
    ? { base, rest: segments }
    : { base: base.slice(0, Math.max(0, base.length - ups)), rest: segments.slice(ups) };
}

/** An allow: every spelling, in its own case, anchored; without a trailing slash or `**` only the path itself. */
export function allowsPath(pattern: PathPattern, path: NormalisedPath, context: PathContext): boolean {
  if (path.finding !== undefined || path.exact.length === 0) return false;
  const { base, rest } = baseOf(pattern, context);
  return path.exact.every((spelling) => {
    if (pattern.below && spelling.length <= base.length) return false;
    return startsWithSegments(spelling, base) && matchSegments(rest, spelling, base.length, false, pattern.below);
  });
}

export const ANY_DEPTH: PatternSegment = { kind: 'deep' };

/** A pattern for a folder's content is one for the folder: `secrets/*` takes the folder `secrets`, too. */
const withoutLastStar = (segments: readonly PatternSegment[]): readonly PatternSegment[] => {
  const last = segments.at(-1);
  const isStar = last?.kind === 'name' && last.exact.tokens.length === 1 && last.exact.tokens[0]?.kind === 'run';
  return isStar && segments.length > 1 ? segments.slice(0, -1) : segments;
};

const anyDepth = new WeakMap<PathPattern, readonly PatternSegment[]>();

/** Remembered: a pattern is compared with each path of each call. */
function atAnyDepth(pattern: PathPattern): readonly PatternSegment[] {
  let found = anyDepth.get(pattern);
  if (found === undefined) {
    found = [ANY_DEPTH, ...withoutLastStar(pattern.segments)];
    anyDepth.set(pattern, found);
  }
  return found;
}

/** A deny or ask: any spelling, folded; a relative pattern at any depth; a matched folder takes everything below it. */
export function deniesPath(pattern: PathPattern, path: NormalisedPath, context: PathContext): boolean {
  if (pattern.anchor === 'relative' && pattern.segments[0]?.kind !== 'up') {
    const whole = atAnyDepth(pattern);
    return path.folded.some((spelling) => matchSegments(whole, spelling, 0, true, true));
  }
  const { base, rest } = baseOf(pattern, context);
  const folded = base.map(foldText);
  return path.folded.some(
    (spelling) =>
      startsWithSegments(spelling, folded) && matchSegments(withoutLastStar(rest), spelling, base.length, true, true),
  );
}

/** All that a deny or ask of the pattern speaks of, from the root of the disk; what is below counts as well. */
export function deniedSegments(pattern: PathPattern, context: PathContext): readonly PatternSegment[] {
  if (pattern.anchor === 'relative' && pattern.segments[0]?.kind !== 'up') return atAnyDepth(pattern);
  const { base, rest } = baseOf(pattern, context);
  return [...base.map((name) => nameSegment(literalTokens(name))), ...withoutLastStar(rest)];
}
