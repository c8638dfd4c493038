/** Folds a text to the letters that it looks like, with the index of each. */
import type { SecretSpan } from './marker.ts';

export interface Folded {
  readonly text: string;
  /** Spans of the text itself for those that were found in the folded text. */
  spansOf(found: readonly SecretSpan[]): SecretSpan[];
}

const ASCII = /^[\0-\x7f]*$/;
const DROPPED = /[\p{Default_Ignorable_Code_Point}\p{M}]/u;

/** Letters that look like others and that NFKD leaves alone. */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  [
    ['аɑα', 'a'],
    ['АΑ', 'A'],
    ['вβ', 'b'],
    ['ВΒ', 'B'],
    ['сϲ', 'c'],
    ['СϹ', 'C'],
    ['ԁđ', 'd'],
    ['еεҽ', 'e'],
    ['ЕΕ', 'E'],
    ['һ', 'h'],
    ['НΗ', 'H'],
    ['іιıɩ', 'i'],
    ['ІΙ', 'I'],
    ['ј', 'j'],
    ['Ј', 'J'],
    ['кκ', 'k'],
    ['КΚ', 'K'],
    ['ӏłⅼ', 'l'],
    ['мΜМ', 'm'],
    ['пո', 'n'],
    ['Ν', 'N'],
    ['оοσօø', 'o'],
    ['ОΟ', 'O'],
    ['рρ', 'p'],
    ['РΡ', 'P'],
    ['ԛ', 'q'],
    ['ѕ', 's'],
    ['Ѕ', 'S'],
    ['тτ', 't'],
    ['ТΤ', 'T'],
    ['υս', 'u'],
    ['ν', 'v'],
    ['ԝωѡ', 'w'],
    ['хχ', 'x'],
    ['ХΧ', 'X'],
    ['уγ', 'y'],
    ['УΥ', 'Y'],
    ['‹〈⟨❮❬˂«', '<'],
    ['›〉⟩❯❭˃»', '>'],
    ['∶ː꞉', ':'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter) => [letter, to] as const)),
);

const MAX_CACHED = 2_048;
const cache = new Map<string, string>();

function foldedLetter(letter: string): string {
  let result = cache.get(letter);
  if (result === undefined) {
    result = [...letter.normalize('NFKD')]
      .map((part) => (DROPPED.test(part) ? '' : (LOOKS_LIKE.get(part) ?? part)))
      .join('');
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(letter, result);
  }
  return result;
}

/** Undefined where nothing folds: an ASCII text is what it looks like. */
export function folded(text: string): Folded | undefined {
  if (ASCII.test(text)) return undefined;
  const starts: number[] = [];
  const ends: number[] = [];
  let result = '';
  let at = 0;
  for (const letter of text) {
    const end = at + letter.length;
    const plain = letter <= '\x7f' ? letter : foldedLetter(letter);
    for (let unit = 0; unit < plain.length; unit++) {
      starts.push(at);
      ends.push(end);
    }
    result += plain;
    at = end;
  }
  return {
    text: result,
    spansOf: (found) =>
      found.map(({ start, end, kind }) => ({
        start: starts[start] ?? text.length,
        end: ends[end - 1] ?? text.length,
        kind,
      })),
  };
}

/** The folded text alone: of a name. */
export const foldedText = (text: string): string => folded(text)?.text ?? text;
