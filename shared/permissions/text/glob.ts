/** Matches wildcards in linear time. No pattern of a rule becomes a `RegExp`. */
import { isPlainAscii } from './characters.ts';

/**
 * One step of a compiled wildcard: a literal character, any one character, any run, or a set of characters.
 * `hidden`: at the start of a name it may also stand for the dot, as in most programs' own globs and in no shell's.
 */
export type GlobToken =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'one'; readonly hidden?: true }
  | { readonly kind: 'run'; readonly hidden?: true }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
      readonly hidden?: true;
    };

/** Does `text` match `pattern`, in which `*` is any run of characters (also blanks and slashes) and nothing else is special? */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  let at = 0;
  let from = 0;
  let star = -1;
  let resume = 0;
  while (from < text.length) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at++;
      resume = from;
    } else if (at < pattern.length && pattern[at] === text[from]) {
      at++;
      from++;
    } else if (star >= 0) {
      // Only the last star ever needs to give: what stands before it has matched as early as possible.
      at = star + 1;
      from = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

function tokenAccepts(token: GlobToken, char: string): boolean {
  switch (token.kind) {
    case 'char':
      return token.char === char;
    case 'one':
    case 'run':
      return true;
    case 'set': {
      // An unescaped class never matches a bracket.
      if (char === '[' || char === ']') return false;
      const inside = token.ranges.some(([low, high]) => char >= low && char <= high);
      return inside !== token.negated;
    }
  }
}

/** Does `text` match the tokens, end to end? */
export function matchesTokens(tokens: readonly GlobToken[], text: string): boolean {
  // Most names begin otherwise, and nothing more is looked at.
  const [first] = tokens;
  if (first?.kind === 'char' && !text.startsWith(first.char)) return false;
  // A plain text is its own list of characters.
  const chars = isPlainAscii(text) ? text : Array.from(text);
  let at = 0;
  let from = 0;
  let star = -1;
  let resume = 0;
  while (from < chars.length) {
    const token = tokens[at];
    if (token?.kind === 'run') {
      star = at++;
      resume = from;
    } else if (token !== undefined && tokenAccepts(token, chars[from] as string)) {
      at++;
      from++;
    } else if (star >= 0) {
      at = star + 1;
      from = ++resume;
    } else {
      return false;
    }
  }
  while (tokens[at]?.kind === 'run') at++;
  return at === tokens.length;
}

/** Is there a character that both tokens accept? Two sets are taken to share one. */
export function tokensMeet(a: GlobToken, b: GlobToken): boolean {
  if (a.kind === 'char') return tokenAccepts(b, a.char);
  if (b.kind === 'char') return tokenAccepts(a, b.char);
  return true;
}

/** Is there any text that both token lists match? Sets are taken to meet: the safe side for "could name a protected path". */
export function tokensIntersect(a: readonly GlobToken[], b: readonly GlobToken[]): boolean {
  // Reachability over pairs of positions: `reach[j]` says that (i, j) can be reached.
  let reach = new Array<boolean>(b.length + 1).fill(false);
  reach[0] = true;
  for (const left of a) reach = reachBehind(left, b, reach);
  return reachWithin(b, reach)[b.length] === true;
}

/** Positions in `b` that can be reached without a token of the other side: past its runs. */
function reachWithin(b: readonly GlobToken[], reach: boolean[]): readonly boolean[] {
  for (const [j, right] of b.entries()) if (reach[j] && right.kind === 'run') reach[j + 1] = true;
  return reach;
}

/** Positions in `b` that can be reached behind the token `left`, from those before it, which are completed. */
function reachBehind(left: GlobToken, b: readonly GlobToken[], reach: boolean[]): boolean[] {
  const next = new Array<boolean>(b.length + 1).fill(false);
  for (let j = 0; j <= b.length; j++) {
    if (!reach[j]) continue;
    const right = b[j];
    if (right?.kind === 'run' || (right && left.kind === 'run')) reach[j + 1] = true;
    if (left.kind === 'run' || right?.kind === 'run') next[j] = true;
    else if (right && tokensMeet(left, right)) next[j + 1] = true;
  }
  return next;
}

export function literalTokens(text: string): GlobToken[] {
  return Array.from(text, (char) => ({ kind: 'char', char }) as const);
}
