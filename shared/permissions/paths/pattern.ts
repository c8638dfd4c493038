/** Path patterns in gitignore syntax (decisions.md, "Pattern language"), matched segment by segment, never by string prefix. */
import { type GlobToken, matchesTokens } from '../text/glob.ts';
import { type JudgedPath, type PathContext, type Segments, segmentsOf } from './normalise.ts';

export type PathAnchor = 'root' | 'home' | 'project' | 'relative';

/** One segment of a pattern: `**`, or tokens in their own case and folded. */
type PatternSegment =
  | { readonly kind: 'deep' }
  | { readonly kind: 'name'; readonly exact: readonly GlobToken[]; readonly folded: readonly GlobToken[] }
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

interface Reading {
  readonly token: GlobToken;
  readonly next: number;
}

/** `[a-z]`, `[!a]`; a `]` directly after the opening is literal. */
function readSet(chars: readonly string[], start: number): Reading {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at++;
  const ranges: [string, string][] = [];
  for (let first = true; ; first = false) {
    const char = chars[at];
    if (char === undefined) throw new PathPatternError('the bracket is not closed; a literal bracket is written \\[');
    if (char === ']' && !first) return { token: { kind: 'set', negated, ranges }, next: at + 1 };
    const low = char === '\\' ? chars[++at] : char;
    if (low === undefined) throw new PathPatternError('the pattern ends in a backslash');
    if (chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']') {
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

function foldTokens(tokens: readonly GlobToken[]): GlobToken[] {
  return tokens.flatMap((token): GlobToken[] => {
    if (token.kind === 'char') {
      return Array.from(token.char.normalize('NFKC').toLowerCase(), (char) => ({ kind: 'char', char }));
    }
    if (token.kind !== 'set') return [token];
    const ranges = token.ranges.flatMap(([low, high]): [string, string][] => [
      [low, high],
      [low.toLowerCase(), high.toLowerCase()],
    ]);
    return [{ ...token, ranges: token.negated ? token.ranges : ranges }];
  });
}

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
  const below = rest.endsWith('/') && rest.length > 0;
  const segments: PatternSegment[] = [];
  for (const part of rest.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (segments.length > 0 && segments.at(-1)?.kind === 'name') segments.pop();
      else segments.push({ kind: 'up' });
    } else if (part === '**') {
      if (segments.at(-1)?.kind !== 'deep') segments.push({ kind: 'deep' });
    } else {
      const exact = segmentTokens(part);
      segments.push({ kind: 'name', exact, folded: foldTokens(exact) });
    }
  }
  if (segments.some((segment, index) => segment.kind === 'up' && segments[index - 1]?.kind === 'deep')) {
    throw new PathPatternError('".." after "**" names no folder');
  }
  return { anchor, segments, below };
}

function matchSegments(pattern: readonly PatternSegment[], path: Segments, fold: boolean, open: boolean): boolean {
  let at = 0;
  let from = 0;
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
      matchesTokens(fold ? segment.folded : segment.exact, path[from] as string)
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

function baseOf(pattern: PathPattern, context: PathContext): { base: string[]; rest: readonly PatternSegment[] } {
  const base =
    pattern.anchor === 'root'
      ? []
      : segmentsOf(
          pattern.anchor === 'home' ? context.home : pattern.anchor === 'project' ? context.projectRoot : context.cwd,
        );
  let ups = 0;
  while (pattern.segments[ups]?.kind === 'up') {
    base.pop();
    ups++;
  }
  return { base, rest: pattern.segments.slice(ups) };
}

function literal(name: string, fold: boolean): PatternSegment {
  const tokens = Array.from(
    fold ? name.normalize('NFKC').toLowerCase() : name,
    (char): GlobToken => ({ kind: 'char', char }),
  );
  return { kind: 'name', exact: tokens, folded: tokens };
}

/** An allow: every spelling, in its own case, anchored; without a trailing slash or `**` only the path itself. */
export function allowsPath(pattern: PathPattern, path: JudgedPath, context: PathContext): boolean {
  if (path.finding !== undefined || path.exact.length === 0) return false;
  const { base, rest } = baseOf(pattern, context);
  const whole = [...base.map((name) => literal(name, false)), ...rest];
  return path.exact.every((spelling) => {
    if (pattern.below && spelling.length <= base.length) return false;
    return matchSegments(whole, spelling, false, pattern.below);
  });
}

/** A deny or ask: any spelling, folded; a relative pattern at any depth; a matched folder takes everything below it. */
export function deniesPath(pattern: PathPattern, path: JudgedPath, context: PathContext): boolean {
  const { base, rest } = baseOf(pattern, context);
  const floating = pattern.anchor === 'relative' && pattern.segments[0]?.kind !== 'up';
  const whole: PatternSegment[] = floating
    ? [{ kind: 'deep' }, ...rest]
    : [...base.map((name) => literal(name, true)), ...rest];
  return path.folded.some((spelling) => matchSegments(whole, spelling, true, true));
}
