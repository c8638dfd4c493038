/** Reads the words of the command that a text ends in, and its program. */
import { withoutStarters } from '../tables/starters.ts';

/** The words of the command that the text ends in. */
export const commandOf = (before: string): string[] =>
  (before.split(/[;&|\n()]/).at(-1) ?? '').split(/\s+/).filter(Boolean);

/** The program that starts the command. */
export const programOf = (words: readonly string[]): string => nameIn(withoutStarters(words)[0] ?? '');

export const nameIn = (word: string): string => word.slice(word.lastIndexOf('/') + 1).toLowerCase();
