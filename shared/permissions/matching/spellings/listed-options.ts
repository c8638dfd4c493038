/** Finds options that a record lists, and the beginnings of their names in a command. */
import type { OptionSpec } from '../../programs/record/options.ts';
import type { Field } from '../../shell/syntax/fields.ts';
import { hasLongWords, isOption, nameOf } from './option-words.ts';

/** GNU takes the beginning of an option for it, where that is no other one; a letter is an option of its own. */
export const MIN_ABBREVIATION = 2;

/** By the names that they begin. */
export function abbreviationsOf(
  words: ReadonlySet<string>,
  listed: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const word of words) {
    if (word.length < MIN_ABBREVIATION || listed.has(word)) continue;
    for (const name of listed) if (name.startsWith(word)) found.set(name, [...(found.get(name) ?? []), word]);
  }
  return found;
}

const NONE: ReadonlySet<string> = new Set();
const listedNames = new WeakMap<OptionSpec, ReadonlySet<string>>();

/** A record names a hundred options, and every command of the program is compared with them. */
export function listedIn(spec: OptionSpec | undefined): ReadonlySet<string> {
  if (spec === undefined) return NONE;
  let names = listedNames.get(spec);
  if (names === undefined) {
    names = new Set([...spec.long, ...spec.longValues, ...spec.harmful].map(nameOf));
    listedNames.set(spec, names);
  }
  return names;
}

export const wordsOf = (words: readonly Field[], spec: OptionSpec | undefined): ReadonlySet<string> =>
  new Set(
    words.flatMap(({ text }) => (text.startsWith('--') || (isOption(text) && hasLongWords(spec)) ? nameOf(text) : [])),
  );
