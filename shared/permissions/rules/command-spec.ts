/**
 * Reads the specifier of a shell rule: exact, prefix (`ls:*`, `ls *`) or with wildcards.
 * Compared with parsed words joined by one blank.
 */
import { matchesWildcard } from '../text/glob.ts';

export interface CommandSpec {
  readonly form: 'exact' | 'prefix' | 'wildcard';
  /** Blanks collapsed; without the `:*` of a prefix. */
  readonly text: string;
  /** The same with quotes and backslashes read as a shell would, if that differs. */
  readonly unquoted: string;
  readonly words: readonly string[];
  /** The literal first word; `undefined` where it holds a wildcard. */
  readonly firstWord: string | undefined;
}

/** Before others between double quotes a backslash means itself: `"\.ts$"`. */
const ESCAPED_IN_QUOTES: ReadonlySet<string> = new Set(['$', '`', '"', '\\', '\n']);

function escapesNext(text: string, at: number, quote: string | undefined): boolean {
  if (text[at] !== '\\' || at + 1 === text.length || quote === "'") return false;
  return quote === undefined || ESCAPED_IN_QUOTES.has(text[at + 1] as string);
}

/** Splits at blanks; quotes and backslashes are removed, and keep blanks together. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (escapesNext(text, at, quote)) {
      word = (word ?? '') + text[++at];
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word = (word ?? '') + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === ' ' || char === '\t' || char === '\n') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

export const collapseBlanks = (text: string): string =>
  text
    .split(/[ \t\n]+/)
    .filter((word) => word !== '')
    .join(' ');

/** `ls *` says the same as `ls:*`, as in Claude Code's documentation, if that is its only wildcard; so `ls` matches, and `lsof` does not. */
function endsInWord(text: string): boolean {
  return text.length > 2 && text.endsWith(' *') && text.indexOf('*') === text.length - 1 && text.at(-3) !== '\\';
}

export function commandSpec(spec: string): CommandSpec {
  const whole = collapseBlanks(spec);
  const isPrefix = whole.endsWith(':*') || endsInWord(whole);
  const text = collapseBlanks(isPrefix ? whole.slice(0, -2) : whole);
  const form = text.includes('*') ? 'wildcard' : isPrefix ? 'prefix' : 'exact';
  const words = shellWords(text);
  const first = words[0];
  const end = form === 'wildcard' && isPrefix ? ':*' : '';
  return {
    form,
    text: text + end,
    unquoted: words.join(' ') + end,
    words,
    firstWord: first === undefined || first.includes('*') ? undefined : first,
  };
}

function matchesText(spec: CommandSpec, rule: string, text: string): boolean {
  switch (spec.form) {
    case 'exact':
      return text === rule;
    case 'prefix':
      // A word boundary, so that `rm:*` is not `rmdir`.
      return rule === '' || text === rule || (text.startsWith(rule) && text[rule.length] === ' ');
    case 'wildcard': {
      if (!rule.endsWith(':*')) return matchesWildcard(rule, text);
      const head = rule.slice(0, -2);
      return matchesWildcard(head, text) || matchesWildcard(`${head} *`, text);
    }
  }
}

/** Does the joined command match? */
export function matchesCommand(spec: CommandSpec, joined: string): boolean {
  return (
    matchesText(spec, spec.text, joined) || (spec.unquoted !== spec.text && matchesText(spec, spec.unquoted, joined))
  );
}
