/**
 * A plain look through a command text for words that name paths, without a shell parser: for `command` keys of tools that
 * are no shells (R4-106), and for texts within an argument that a program may read as code (R4-107).
 * It sees too much rather than too little: quotes are dropped, and every character that cannot be part of a name splits.
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
  ',',
]);
const QUOTES: ReadonlySet<string> = new Set(["'", '"', '\\']);
const MAX_WORDS = 4096;

function wordsOf(text: string, splitAtQuotes: boolean): string[] {
  const words: string[] = [];
  let word = '';
  const end = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const char of text) {
    if (SPLITTERS.has(char)) end();
    else if (QUOTES.has(char)) {
      if (splitAtQuotes) end();
    } else word += char;
  }
  end();
  return words;
}

export function scanCommandText(text: string): GlobWord[] {
  // Both readings of a quote: as part of a shell word (`.e''nv`), and as the end of a string in other code (`open(".env")`).
  const words = new Set([...wordsOf(text, false), ...wordsOf(text, true)]);
  return [...words].slice(0, MAX_WORDS).flatMap(globSegments);
}
