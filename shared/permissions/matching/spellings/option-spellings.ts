/** Finds the options of a deny or ask rule in a command, in any order, spelling or cluster. */
import type { CommandSpec } from '../../rules/command-spec.ts';
import type { Field } from '../../shell/syntax/fields.ts';
import { matchesWildcard } from '../../text/glob.ts';
import type { Given } from './given-options.ts';
import type { OptionRule } from './option-rules.ts';
import { isOption, switchedOff } from './option-words.ts';
import { ANY_OPTION, type Wanted } from './wanted-options.ts';
import { SOME } from './wildcard-words.ts';

/** Whether the command has all that the rule names. `maybe`: a word that may become an option counts as any. */
export function hasOptions({ wanted }: OptionRule, given: Given, maybe: boolean): boolean {
  if (maybe && given.isOpen) return true;
  return wanted.every(({ names, guessed, value }) =>
    [...names, ...(maybe ? guessed : [])].some((all) => all.every((name) => isGiven(name, value, given))),
  );
}

/** Whether the command may have the options under any name, whatever their values. */
export const hasAnyOf = (wanted: readonly Wanted[], given: Given): boolean =>
  given.isOpen ||
  wanted.every(({ names, guessed }) =>
    [...names, ...guessed].some((all) => all.every((name) => isGiven(name, undefined, given))),
  );

function isGiven(name: string, value: string | undefined, given: Given): boolean {
  const { options, words } = given;
  const has = (key: string): boolean => {
    const values = options.get(key);
    return values !== undefined && (value === undefined || values.some((each) => matchesWildcard(value, each)));
  };
  if (name === ANY_OPTION) return [...options.keys()].some((key) => key !== '+' && has(key));
  if (name.includes('*')) return [...words].some((each) => matchesWildcard(name, each) && has(each));
  if (has(name) || (value !== undefined && has(switchedOff(name)))) return true;
  return given.abbreviations(name).some(has);
}

/** Whether the command holds as much as the rule: nothing else under an exact one, something for each `*` between blanks. */
export function hasOthersAsRule(rule: OptionRule, spec: CommandSpec, given: Given, argv: readonly Field[]): boolean {
  if (spec.form === 'exact') return !hasOthers(rule, given, given.operands);
  const words = argv.slice(1).filter(({ text }) => !isOption(text));
  return !rule.path.words.includes(SOME, 1) || hasOthers(rule, given, words);
}

/** Whether something stands in the command that the rule does not name. */
function hasOthers({ path, wanted }: OptionRule, { options }: Given, operands: readonly Field[]): boolean {
  const names = new Set(wanted.flatMap(({ names: each }) => each.flat()));
  const values = wanted.flatMap(({ value }) => value ?? []);
  const isNamed = (name: string): boolean => names.has(name) || [...name].every((letter) => names.has(letter));
  return (
    [...options.keys()].some((name) => !isNamed(name)) ||
    operands.some(({ text }) => !path.words.includes(text) && !values.includes(text) && text[0] !== '+')
  );
}
