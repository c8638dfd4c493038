/** Finds the options of a deny or ask rule in a command, in any order, spelling or cluster. */
import { withoutVersion } from '../programs/catalogue/index.ts';
import { type OptionNames, otherNames } from '../programs/catalogue/names/option-names.ts';
import { type Resolved, resolveCommand } from '../programs/resolve.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import { programOf } from '../shell/syntax/command.ts';
import { literalField } from '../shell/syntax/fields.ts';
import { type Given, hasLongWords, isOption, nameOf, switchedOff, takesValue } from './given-options.ts';

/** An option that a rule names. `value`: the rule names that, too. */
export interface Wanted {
  /** Each is enough. */
  readonly names: readonly OptionNames[];
  /** Each makes it possible: other names of a program that has no record. */
  readonly guessed: readonly OptionNames[];
  readonly value: string | undefined;
}

/** A rule as its sub-commands and operands in their order, and its options in none. */
export interface OptionRule {
  readonly path: CommandSpec;
  readonly wanted: readonly Wanted[];
}

const rules = new WeakMap<CommandSpec, readonly OptionRule[]>();

/** How a rule that names options may be read; empty for any other. A word behind an option may be its value. */
export function optionRules(spec: CommandSpec): readonly OptionRule[] {
  let found = rules.get(spec);
  if (found === undefined) {
    const isOne = spec.form !== 'wildcard' && spec.words.slice(1).some(isOption);
    found = isOne ? [readRule(spec, true), readRule(spec, false)] : [];
    rules.set(spec, found);
  }
  return found;
}

/** The options of a rule of any form; a word behind one is its value. */
export const statedOptions = (spec: CommandSpec): readonly Wanted[] =>
  spec.words.slice(1).some(isOption) ? readRule(spec, true).wanted : [];

function readRule(spec: CommandSpec, hasValues: boolean): OptionRule {
  const resolved = resolveCommand(spec.words.map(literalField));
  const program = withoutVersion(programOf(literalField(spec.firstWord ?? '')) ?? '');
  const subcommand = resolved?.path[0] ?? '';
  const path: string[] = [];
  const wanted: Wanted[] = [];
  for (let at = 1; at < spec.words.length; at++) {
    const word = spec.words[at] as string;
    if (!isOption(word)) {
      path.push(word);
      continue;
    }
    const next = spec.words[at + 1];
    const takesNext = hasValues && next !== undefined && !isOption(next) && !word.includes('=');
    if (takesNext) at += 1;
    wanted.push(...wantedOf(word, takesNext ? next : undefined, { ...resolved }, [program, subcommand]));
  }
  const words = [spec.words[0] as string, ...path];
  return { path: { ...spec, words, form: 'prefix', text: words.join(' '), unquoted: words.join(' ') }, wanted };
}

function wantedOf(
  word: string,
  next: string | undefined,
  resolved: Partial<Resolved>,
  [program, subcommand]: readonly [string, string],
): readonly Wanted[] {
  const name = nameOf(word);
  const value = next ?? (word.includes('=') ? word.slice(word.indexOf('=') + 1) : undefined);
  const others = (each: string): readonly OptionNames[] => otherNames(program, subcommand, each);
  const named = (each: string, ...more: OptionNames[]): Pick<Wanted, 'names' | 'guessed'> =>
    resolved.record === undefined
      ? { names: [[each], ...more], guessed: others(each) }
      : { names: [[each], ...others(each), ...more], guessed: [] };
  const isCluster = /^-[A-Za-z]{2,5}$/.test(word) && !hasLongWords(resolved.record?.options);
  if (!isCluster) return [{ ...named(name), value }];
  if (takesValue(name[0] as string, resolved)) return [{ ...named(name[0] as string), value: name.slice(1) }];
  return [...name].map((letter, index) => ({
    ...named(letter, [name]),
    value: index === name.length - 1 ? value : undefined,
  }));
}

/** Whether the command has all that the rule names. `maybe`: a word that may become an option counts as any. */
export function hasOptions({ wanted }: OptionRule, given: Given, maybe: boolean): boolean {
  if (maybe && given.isOpen) return true;
  return wanted.every(({ names, guessed, value }) =>
    [...names, ...(maybe ? guessed : [])].some((all) => all.every((name) => isGiven(name, value, given))),
  );
}

/** GNU takes the beginning of an option for it, where that is no other one; a letter is an option of its own. */
export const MIN_ABBREVIATION = 2;

function isGiven(name: string, value: string | undefined, { options, listed, words }: Given): boolean {
  const has = (key: string): boolean => {
    const values = options.get(key);
    return values !== undefined && (value === undefined || values.includes(value));
  };
  if (has(name) || (value !== undefined && has(switchedOff(name)))) return true;
  if (!listed.has(name)) return false;
  return [...words].some(
    (each) => each.length >= MIN_ABBREVIATION && name.startsWith(each) && !listed.has(each) && has(each),
  );
}

/** Whether nothing stands in the command but what the rule names. */
export function hasNoOthers({ path, wanted }: OptionRule, { options, operands }: Given): boolean {
  const names = new Set(wanted.flatMap(({ names: each }) => each.flat()));
  const values = wanted.flatMap(({ value }) => value ?? []);
  const others = operands.filter(({ text }) => !path.words.includes(text) && !values.includes(text) && text[0] !== '+');
  const isNamed = (name: string): boolean => names.has(name) || [...name].every((letter) => names.has(letter));
  return others.length === 0 && [...options.keys()].every(isNamed);
}
