/**
 * Scans a command text for words that name paths, without a shell parser.
 *
 * Used for `command` keys of tools that are no shells, and for texts within an argument that a program may read as
 * code. The scan sees too much rather than too little: quotes are dropped, and every character that cannot be part of
 * a name splits.
 */
import { type GlobWord, globSegments } from './glob-word.ts';

const SPLITTERS: ReadonlySet<string> = new Set([
  ' ',
  '\t',
  '\n',
  '\r',
  ';',
  '|',
  '&',
  '<',
  '>',
  '(',
  ')',
  '`',
  '=',
  ':',
]);
const QUOTES: ReadonlySet<string> = new Set(["'", '"', '\\']);

interface Splitting {
  readonly quotesSplit: boolean;
  readonly commasSplit: boolean;
}

function wordsOf(text: string, { quotesSplit, commasSplit }: Splitting): string[] {
  const words: string[] = [];
  let word = '';
  const end = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const char of text) {
    if (char === ',' ? commasSplit : SPLITTERS.has(char)) end();
    else if (QUOTES.has(char)) {
      if (quotesSplit) end();
    } else word += char;
  }
  end();
  return words;
}

/** A quote within a shell word (`.e''nv`) or at the end of a string in other code (`open(".env")`), a comma in a list or within braces. */
const SPLITTINGS: readonly Splitting[] = [
  { quotesSplit: false, commasSplit: true },
  { quotesSplit: true, commasSplit: true },
  { quotesSplit: false, commasSplit: false },
];

export function scanCommandText(text: string): GlobWord[] {
  return [...new Set(SPLITTINGS.flatMap((reading) => wordsOf(text, reading)))].flatMap(globSegments);
}
