/**
 * Splits a message into words, with which triggers are compared.
 *
 * Every loop here is linear, so that no message can be slow.
 */

export interface Word {
  /** Lower case, with a plain apostrophe. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export interface Utterance {
  /** Trimmed, every run of whitespace one space, letter case as written. */
  readonly text: string;
  readonly words: readonly Word[];
}

/** A letter or digit, then what may stand inside a word: "don't" and "un-done" are one word each. One class per step: linear. */
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_'’-]*/gu;

export function readUtterance(message: string): Utterance {
  const text = message.replace(/\s+/gu, ' ').trim();
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const word = trimEndOf(match[0], "'’-");
    words.push({
      key: word.toLowerCase().replaceAll('’', "'"),
      start: match.index,
      end: match.index + word.length,
    });
  }
  return { text, words };
}

/** Whether the text names nothing: it is empty, or only marks of a sentence. A picture names something. */
export const isOnlyPunctuation = (text: string): boolean => /^[\p{P}\s]*$/u.test(text);

/** The text without trailing characters of the set. A regular expression with `+$` would be quadratic here. */
export function trimEndOf(text: string, set: string): string {
  let end = text.length;
  while (end > 0 && set.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function trimStartOf(text: string, set: string): string {
  let start = 0;
  while (start < text.length && set.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}
