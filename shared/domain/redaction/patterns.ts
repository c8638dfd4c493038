/**
 * Finds secrets by patterns of the policy file: a literal with `*` for a run of token characters.
 *
 * Never compiled to a `RegExp`: the literals are searched for.
 */
import type { SecretSpan } from './text/marker.ts';

interface SecretPattern {
  readonly kind: string;
  /** Begins with at least four literal characters. */
  readonly pattern: string;
}

/** A token longer than this is taken out in parts. */
const MAX_LENGTH = 4_096;

export function findPatterns(text: string, patterns: readonly SecretPattern[]): SecretSpan[] {
  return patterns.flatMap(({ kind, pattern }) => occurrences(text, pattern).map((span) => ({ ...span, kind })));
}

function occurrences(text: string, pattern: string): { readonly start: number; readonly end: number }[] {
  const [first = '', ...rest] = pattern.split('*');
  const found: { start: number; end: number }[] = [];
  for (let start = text.indexOf(first); start >= 0; ) {
    const { matches, end: read } = followed(text, start + first.length, rest);
    let end = read;
    // A secret may be longer than what is read before it is known to be one.
    if (matches && rest.at(-1) === '') while (end < text.length && isTokenCharacter(text.charCodeAt(end))) end++;
    if (matches) found.push({ start, end });
    start = text.indexOf(first, Math.max(end, start + 1));
  }
  return found;
}

/**
 * Each `*` takes as much as it can: all of the run, or up to the last place where the next literal stands in it. Where it does not,
 * `end` is that of the run: whatever begins within the run lacks the same literal, so that the search stays linear.
 */
function followed(
  text: string,
  from: number,
  literals: readonly string[],
): { readonly matches: boolean; readonly end: number } {
  let at = from;
  for (const literal of literals) {
    let run = at;
    while (run < text.length && run - at < MAX_LENGTH && isTokenCharacter(text.charCodeAt(run))) run++;
    const next = literal === '' ? run - at : text.slice(at, run + literal.length).lastIndexOf(literal);
    if (next < 0) return { matches: false, end: run };
    at += next + literal.length;
  }
  return { matches: true, end: at };
}

/** `A-Z a-z 0-9 + - . / = _ ~` */
function isTokenCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 45 && code <= 57) ||
    code === 43 ||
    code === 61 ||
    code === 95 ||
    code === 126
  );
}
