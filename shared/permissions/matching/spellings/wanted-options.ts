/** Tells under which names a command may give an option that a deny or ask rule states. */
import { type OptionNames, optionAliases, optionNames } from '../../programs/catalogue/names/option-names.ts';
import type { Resolved } from '../../programs/resolve.ts';
import { matchesWildcard } from '../../text/glob.ts';
import { listedIn } from './listed-options.ts';
import { hasLongWords, nameOf, takesValue } from './option-words.ts';

/** An option that a rule names. `value`: the rule names that, too; a `*` in it is any text. */
export interface Wanted {
  /** Each is enough. A name with `*` is a pattern of names that are written as words. */
  readonly names: readonly OptionNames[];
  /** Each makes it possible: other names of a program that has no record. */
  readonly guessed: readonly OptionNames[];
  readonly value: string | undefined;
}

/** The program and the sub-command whose options they are; `resolved` undefined where the program has no record. */
export interface OptionContext {
  readonly program: string;
  readonly subcommand: string;
  readonly resolved: Resolved | undefined;
}

/** The name of a rule's `-*`: an option of any name. */
export const ANY_OPTION = '-';

/** The options in one word of a rule; `next` is the word behind it, if that is a value. */
export function wantedOf(word: string, next: string | undefined, context: OptionContext): readonly Wanted[] {
  const equals = word.indexOf('=');
  const star = word.indexOf('*');
  if (star >= 0 && (equals < 0 || star < equals)) return wantedByPattern(word, next, context);
  const name = nameOf(word);
  const value = limitOf(next ?? (equals < 0 ? undefined : word.slice(equals + 1)));
  if (!/^-[A-Za-z]{2,5}$/.test(word) || hasLongWords(context.resolved?.record.options))
    return [{ ...named([name], context), value }];
  const [first = ''] = name;
  if (takesValue(first, { ...context.resolved })) return [{ ...named([first], context), value: name.slice(1) }];
  return [...name].map((letter, index) => ({
    ...named([letter], context, [name]),
    value: index === name.length - 1 ? value : undefined,
  }));
}

/** `-*`, `--force*`, `-rf*`, `-X*`: the `*` stands for the rest of a name, for more letters, or for a value. */
function wantedByPattern(word: string, next: string | undefined, context: OptionContext): readonly Wanted[] {
  const pattern = word.replace(/^-+/, '');
  const start = pattern.replaceAll('*', '');
  const value = limitOf(next);
  if (start === '') return [{ names: [[ANY_OPTION], ...signsOf(context)], guessed: [], value }];
  if (word.startsWith('--') || hasLongWords(context.resolved?.record.options))
    return [{ ...named(namesLike(pattern, context), context, [pattern]), value }];
  const [first = ''] = pattern;
  if (takesValue(first, { ...context.resolved }))
    return [{ ...named([first], context), value: limitOf(pattern.slice(1)) ?? value }];
  if (!/^[A-Za-z]{1,5}$/.test(start)) return [{ ...named([start], context, [pattern]), value }];
  // The word behind the letters may be the value of the last one.
  return [...start].map((letter, at) => ({
    ...named([letter], context),
    value: at === start.length - 1 ? value : undefined,
  }));
}

/** A value that is nothing but `*` is no limit. */
const limitOf = (value: string | undefined): string | undefined =>
  value === undefined || /^\*+$/.test(value) ? undefined : value;

/** Each of the names, with its other ones; those of a program without a record are a guess. */
function named(
  names: readonly string[],
  { program, subcommand, resolved }: OptionContext,
  ...more: OptionNames[]
): Pick<Wanted, 'names' | 'guessed'> {
  const own = names.map((name) => [name]);
  const others = names.flatMap((name) => optionAliases(program, subcommand, name));
  return resolved?.record === undefined
    ? { names: [...own, ...more], guessed: others }
    : { names: [...own, ...others, ...more], guessed: [] };
}

/** The long names that a pattern stands for, and the one that it would be without its `*`. */
function namesLike(pattern: string, { program, subcommand, resolved }: OptionContext): readonly string[] {
  const known = [...optionNames(program, subcommand), ...listedIn(resolved?.record.options)];
  const like = known.filter((name) => name.length > 1 && matchesWildcard(pattern, name));
  return [...new Set([pattern.replace(/\*+$/, ''), ...like])].filter((name) => !name.includes('*'));
}

/** Operands that are options of the program, such as `+ref`. */
const signsOf = ({ program, subcommand }: OptionContext): readonly OptionNames[] =>
  optionNames(program, subcommand).flatMap((name) =>
    optionAliases(program, subcommand, name).filter(([sign]) => sign === '+'),
  );
