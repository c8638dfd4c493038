/** Reads a deny or ask rule as words in their order and options in none. */
import { withoutVersion } from '../../programs/catalogue/index.ts';
import { type Resolved, resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { programOf } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { isOption, takesNext } from './option-words.ts';
import { type OptionContext, type Wanted, wantedOf } from './wanted-options.ts';
import { ANY, isGap, readingsOfWildcard, SOME } from './wildcard-words.ts';

/** A rule as its sub-commands and operands in their order, and its options in none. */
export interface OptionRule {
  /** With the gaps of `wildcard-words.ts` in place of words that the rule leaves open. */
  readonly path: CommandSpec;
  /** The words of the path that every command holds, the program left out. */
  readonly literals: readonly string[];
  readonly wanted: readonly Wanted[];
}

/** How a rule was read: once, or where a `*` stands for its program or sub-command for each that a command names. */
interface Read {
  readonly readings: readonly (readonly string[])[];
  readonly isOpen: boolean;
  readonly rules: Map<string, readonly OptionRule[]>;
}

const cache = new WeakMap<CommandSpec, Read>();

/** Whether the word behind an option is its value: always, never, where the record says so, or behind an option with a `*`, too. */
type Valued = 'all' | 'none' | 'known' | 'possible';
const VALUED: readonly Valued[] = ['all', 'none', 'known', 'possible'];

const distinct = (found: readonly OptionRule[]): readonly OptionRule[] => [
  ...new Map(found.map((each) => [JSON.stringify([each.path.words, each.wanted]), each])).values(),
];

/** Further names of programs and sub-commands are read again each time. */
const MAX_CONTEXTS = 100;
const NONE: readonly OptionRule[] = [];

/**
 * How a rule that names options may be read; empty for any other without a wildcard. A word behind an option may be its value. `argv` tells
 * the program and the sub-command where a `*` of the rule stands for them.
 */
export function optionRules(spec: CommandSpec, argv: readonly Field[]): readonly OptionRule[] {
  let read = cache.get(spec);
  if (read === undefined) {
    read = readingOf(spec);
    cache.set(spec, read);
  }
  const { readings, isOpen, rules } = read;
  const [first] = readings;
  if (first === undefined) return NONE;
  const key = isOpen ? [argv[0]?.text, ...(resolveCommand(argv)?.path ?? [])].join(' ') : '';
  let found = rules.get(key);
  if (found === undefined) {
    const context = contextOf(isOpen ? argv : first.map(literalField));
    found = distinct(readings.flatMap((words) => VALUED.map((valued) => readRule(spec, words, valued, context))));
    if (rules.size < MAX_CONTEXTS) rules.set(key, found);
  }
  return found;
}

function readingOf(spec: CommandSpec): Read {
  const isWild = spec.form === 'wildcard';
  const all = isWild ? readingsOfWildcard(spec) : [spec.words];
  // Without an option, words of any program are compared as text.
  const readings = all.filter(
    (words) => words.slice(1).some(isOption) || (isWild && words[0]?.includes('*') === false),
  );
  return { readings, isOpen: isWild && !namesSubcommand(all[0] as readonly string[]), rules: new Map() };
}

/** The options of a rule of any form; a word behind one is its value. */
export const statedOptions = (spec: CommandSpec): readonly Wanted[] =>
  spec.words.slice(1).some(isOption)
    ? readRule(spec, spec.words, 'all', contextOf(spec.words.map(literalField))).wanted
    : [];

/** Whether no `*` stands for the program, or for the sub-command of one that has several. */
function namesSubcommand(words: readonly string[]): boolean {
  if (words[0]?.includes('*') !== false) return false;
  const resolved = resolveCommand(words.map(literalField));
  if (resolved === undefined) return true;
  const { path, program } = resolved;
  return path.length > 0 || program.subcommands === undefined ? !path.some((word) => word.includes('*')) : false;
}

export function contextOf(argv: readonly Field[]): OptionContext {
  const resolved: Resolved | undefined = resolveCommand(argv);
  const program = withoutVersion(programOf(argv[0]) ?? '');
  return { program, subcommand: resolved?.path[0] ?? '', resolved };
}

function readRule(spec: CommandSpec, words: readonly string[], valued: Valued, context: OptionContext): OptionRule {
  const path = [words[0] as string];
  const wanted: Wanted[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string;
    if (!isOption(word)) {
      path.push(word);
      continue;
    }
    const value = valued === 'none' || word.includes('=') ? undefined : valueAt(words, at, context, valued);
    wanted.push(...wantedOf(word, value, context));
    if (value === undefined) continue;
    if (words[at + 1] === ANY) path.push(ANY);
    at = words.indexOf(value, at + 1);
  }
  const isOpen = spec.form !== 'wildcard' || isGap(words.at(-1));
  const text = path.join(' ');
  const literals = path.slice(1).filter((word) => !word.includes('*'));
  return { path: { ...spec, words: path, form: isOpen ? 'prefix' : 'exact', text, unquoted: text }, literals, wanted };
}

/** The word that may be an option's value, behind the `*` at the end of the one or at the beginning of the other. */
function valueAt(
  words: readonly string[],
  at: number,
  { resolved }: OptionContext,
  valued: Valued,
): string | undefined {
  const [word = '', next] = words.slice(at);
  const isKnown = resolved !== undefined && takesNext(word, resolved);
  if (valued !== 'all' && !isKnown && !(valued === 'possible' && word.includes('*'))) return undefined;
  if (next === SOME) return resolved === undefined || isKnown ? next : undefined;
  const value = next === ANY ? words[at + 2] : next;
  return value === undefined || isOption(value) ? undefined : value;
}
