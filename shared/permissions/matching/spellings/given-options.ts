/** Reads the options of a command by their names, whatever they do. */
import { optionNames } from '../../programs/catalogue/names/option-names.ts';
import { mayBecomeOption } from '../../programs/record/options.ts';
import { mayBeSeveral } from '../../programs/record/outputs.ts';
import type { Runner } from '../../programs/record/record.ts';
import { type Resolved, resolveCommand } from '../../programs/resolve.ts';
import type { Field } from '../../shell/syntax/fields.ts';
import { abbreviationsOf, listedIn, wordsOf } from './listed-options.ts';
import { hasLongWords, isFalse, isOption, nameOf, switchedOff, takesValue } from './option-words.ts';

/** Options of a command by their names without dashes, each with the values that it may have. */
export interface Given {
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly Field[];
  /** An operand may become an option, or a value may become several words, and an option among them. */
  readonly isOpen: boolean;
  /** Names that are written as words, which may be the beginning of another. The letters of `-am` are none of `--amend`. */
  readonly words: ReadonlySet<string>;
  /** Options that the record lists: no beginning of one of them is another. */
  readonly listed: ReadonlySet<string>;
  /** Words of the command that are the beginning of this name, and of themselves no option. */
  abbreviations(name: string): readonly string[];
}

type Add = (name: string, ...values: (string | undefined)[]) => void;

/** Reads the options of a command, whatever they do. */
export function givenOptions(argv: readonly Field[]): Given {
  const resolved = resolveCommand(argv);
  const spec = resolved?.record.options;
  const options = new Map<string, string[]>();
  const operands: Field[] = [];
  const add: Add = (name, ...values) => {
    const found = options.get(name);
    const stated = values.filter((value) => value !== undefined);
    if (found === undefined) options.set(name, stated);
    else found.push(...stated);
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
      abbreviated ??= abbreviationsOf(written, new Set([...listed, ...longNames(resolved)]));
      return abbreviated.get(name) ?? [];
    },
  };
}

/** Names of a program whose record lists none: `chmod --rec`, `psql --com`. */
const longNames = (resolved: Resolved | undefined): readonly string[] =>
  resolved === undefined
    ? []
    : optionNames(resolved.program.names[0] as string, resolved.path[0] ?? '').filter(({ length }) => length > 1);

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

/** Letters of a cluster whose rest is taken for their value, though nobody knows that they have one. */
const MAX_GUESSED = 64;

/** Each letter of a cluster; what follows one with a value is that value. Gives how many further words it takes. */
function addLetters(letters: string, next: string | undefined, resolved: Resolved | undefined, add: Add): number {
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    const rest = letters.slice(at + 1);
    const isValued = takesValue(letter, { ...resolved });
    add(letter, rest === '' ? next : isValued || at < MAX_GUESSED ? rest : undefined);
    if (isValued) return rest === '' ? 1 : 0;
  }
  return 0;
}

/** `ssh host CMD`: whether the program's own options end where the command begins. One that is not known may take the next word. */
function endsAtCommand({ words }: Resolved, { joins, flags, values, operands }: Runner): boolean {
  let left = operands;
  for (let at = 0; joins === true && at < words.length; at++) {
    const { text, isKnown } = words[at] as Field;
    if (!isKnown || text.startsWith('--')) return false;
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
