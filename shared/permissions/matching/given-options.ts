/** Reads the options of a command by their names, whatever they do. */
import { mayBecomeOption, type OptionSpec } from '../programs/record/options.ts';
import { mayBeSeveral } from '../programs/record/outputs.ts';
import type { Runner } from '../programs/record/record.ts';
import { type Resolved, resolveCommand } from '../programs/resolve.ts';
import type { Field } from '../shell/syntax/fields.ts';

/** Options of a command by their names without dashes, each with the values that it may have. */
export interface Given {
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly Field[];
  /** An operand may become an option, or a value may become several words, and an option among them. */
  readonly isOpen: boolean;
  /** Options that the record lists: no beginning of one of them is another. */
  readonly listed: ReadonlySet<string>;
  /** Names that are written as words, which may be the beginning of another. The letters of `-am` are none of `--amend`. */
  readonly words: ReadonlySet<string>;
  /** Words of the command that are the beginning of this name, and of themselves no option. */
  abbreviations(name: string): readonly string[];
}

export const isOption = (text: string): boolean => text.startsWith('-') && text !== '-' && text !== '--';
const isFalse = (value: string): boolean => /^(?:false|0|no|off)$/i.test(value);
/** The key of `--privileged=false`. */
export const switchedOff = (name: string): string => `${name}=`;

/** `find -exec`, `terraform -destroy`: one dash begins a whole word, and letters are no options of their own. */
export const hasLongWords = (spec: OptionSpec | undefined): boolean =>
  spec?.words !== undefined || [...(spec?.harmful ?? [])].some((name) => /^-[a-z]{2}/.test(name));

export const takesValue = (letter: string, { record, program }: Partial<Resolved>): boolean =>
  record?.options?.values.includes(letter) === true ||
  program?.subcommands?.values.has(`-${letter}`) === true ||
  program?.runner?.values.has(`-${letter}`) === true;

/** Whether the value of the option is the next word. */
export const takesNext = (text: string, resolved: Resolved): boolean =>
  resolved.record.options?.longValues.has(text) === true ||
  resolved.program.subcommands?.values.has(text) === true ||
  (/^-[^-]/.test(text) && takesValue(text.at(-1) as string, resolved));

/** Without its dashes and its value. */
export function nameOf(text: string): string {
  const end = text.indexOf('=');
  return (end < 0 ? text : text.slice(0, end)).replace(/^-+/, '');
}

type Add = (name: string, ...values: (string | undefined)[]) => void;

/** Reads the options of a command, whatever they do. */
export function givenOptions(argv: readonly Field[]): Given {
  const resolved = resolveCommand(argv);
  const spec = resolved?.record.options;
  const options = new Map<string, string[]>();
  const operands: Field[] = [];
  const add: Add = (name, ...values) => {
    options.set(name, [...(options.get(name) ?? []), ...values.filter((value) => value !== undefined)]);
  };
  const words = resolved === undefined ? argv.slice(1) : [...resolved.globals, ...resolved.words];
  const last = lastOperand(resolved);
  let isOpen = false;
  for (let at = 0; at < words.length && operands.length < last; at++) {
    const field = words[at] as Field;
    if (field.text === '--') break;
    if (isOption(field.text)) {
      const value = words[at + 1];
      const taken = addOption(field.text, value?.text, resolved, add);
      if (taken > 0 && value !== undefined) isOpen ||= mayBecomeOption(value) && mayBeSeveral(value);
      at += taken;
    } else if (at === 0 && spec?.bundle === true) at += addLetters(field.text, words[1]?.text, resolved, add);
    else {
      if (field.text.startsWith('+')) add('+');
      operands.push(field);
    }
  }
  const listed = listedIn(spec);
  const written = wordsOf(words, spec);
  let abbreviated: ReadonlyMap<string, readonly string[]> | undefined;
  return {
    options,
    operands,
    isOpen: isOpen || operands.some(mayBecomeOption),
    listed,
    words: written,
    abbreviations(name) {
      abbreviated ??= abbreviationsOf(written, listed);
      return abbreviated.get(name) ?? [];
    },
  };
}

/** GNU takes the beginning of an option for it, where that is no other one; a letter is an option of its own. */
export const MIN_ABBREVIATION = 2;

/** By the names that they begin. */
function abbreviationsOf(
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

const wordsOf = (words: readonly Field[], spec: OptionSpec | undefined): ReadonlySet<string> =>
  new Set(
    words.flatMap(({ text }) => (text.startsWith('--') || (isOption(text) && hasLongWords(spec)) ? nameOf(text) : [])),
  );

/** Gives how many further words the option takes. */
function addOption(text: string, next: string | undefined, resolved: Resolved | undefined, add: Add): number {
  const name = nameOf(text);
  if (text.includes('=')) {
    const value = text.slice(text.indexOf('=') + 1);
    add(isFalse(value) ? switchedOff(name) : name, value);
    return 0;
  }
  add(name, next);
  const spec = resolved?.record.options;
  if (spec?.longValues.has(text) === true || resolved?.program.subcommands?.values.has(text) === true) return 1;
  return text.startsWith('--') || hasLongWords(spec) ? 0 : addLetters(text.slice(1), next, resolved, add);
}

/** Each letter of a cluster; what follows one with a value is that value. Gives how many further words it takes. */
function addLetters(letters: string, next: string | undefined, resolved: Resolved | undefined, add: Add): number {
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    const rest = letters.slice(at + 1);
    add(letter, rest === '' ? next : rest);
    if (takesValue(letter, { ...resolved })) return rest === '' ? 1 : 0;
  }
  return 0;
}

/** `ssh host CMD`: whether the program's own options end where the command begins. One that is not known may take the next word. */
function endsAtCommand({ words }: Resolved, { joins, flags, values, operands }: Runner): boolean {
  let left = operands;
  for (let at = 0; joins === true && at < words.length; at++) {
    const { text, known } = words[at] as Field;
    if (!known || text.startsWith('--')) return false;
    if (!isOption(text)) {
      left -= 1;
      if (left < 0) return true;
      continue;
    }
    const letters = [...text.slice(1)].map((letter) => `-${letter}`);
    const valued = letters.findIndex((letter) => values.has(letter));
    if (letters.slice(0, valued < 0 ? undefined : valued).some((letter) => !flags.has(letter))) return false;
    if (valued === letters.length - 1) at += 1;
  }
  return joins === true;
}

/** The words behind the command that `sudo` or `python` runs are not their own. */
function lastOperand(resolved: Resolved | undefined): number {
  const { interpreter } = resolved?.program ?? {};
  const runner = resolved?.record.runner ?? resolved?.program.runner;
  if (interpreter !== undefined && interpreter.readsOn !== true) return 1;
  const isOwn =
    resolved !== undefined && runner !== undefined && (runner.anywhere !== true || endsAtCommand(resolved, runner));
  return isOwn && runner !== undefined ? runner.operands + 1 : Number.POSITIVE_INFINITY;
}
