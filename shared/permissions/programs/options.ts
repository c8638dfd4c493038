/** Reads a command's options against what the table marks harmless (rules.md, "Commands"); anything else is named as the reason. */
import type { Field } from '../shell/fields.ts';

export interface OptionSpec {
  /** Short options without a value, as letters. */
  readonly flags: string;
  /** Short options with a value, as letters. */
  readonly values: string;
  /** Short options with a value that is attached or absent: it is never the next word. */
  readonly optionals: string;
  /** Long options without a value, or with one after `=` only. */
  readonly long: ReadonlySet<string>;
  /** Long options with a value, after `=` or in the next word. */
  readonly longValues: ReadonlySet<string>;
  /** Long options that exist and are not harmless: they make abbreviations ambiguous. */
  readonly harmful: ReadonlySet<string>;
  /** Whole words with one dash, as `find` has them: name → words that follow. */
  readonly words?: ReadonlyMap<string, number> | undefined;
  /** `-10` is a number. */
  readonly numbers?: boolean | undefined;
  /** The first word is letters of options without a dash, and their values follow in their order, as `tar` has it. */
  readonly bundle?: boolean | undefined;
  /** Looks at the operands, in order; a reason refuses. `ruleWords`: those of the rule that would cover the command. */
  readonly operands?:
    | ((operands: readonly Field[], options: readonly ReadOption[], ruleWords: readonly string[]) => string | undefined)
    | undefined;
  /** Looks at the value of an option. */
  readonly value?: ((name: string, value: Field) => string | undefined) | undefined;
  /** What it writes: judged like a redirection. */
  readonly writes?: ((operands: readonly Field[], options: readonly ReadOption[]) => readonly Field[]) | undefined;
}

export interface ReadOption {
  readonly name: string;
  readonly value: Field | undefined;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' ').filter((word) => word !== ''));

export interface SpecText {
  flags?: string;
  values?: string;
  optionals?: string;
  long?: string;
  longValues?: string;
  harmful?: string;
  words?: string;
  numbers?: boolean;
  bundle?: boolean;
  operands?: OptionSpec['operands'];
  value?: OptionSpec['value'];
  writes?: OptionSpec['writes'];
}

/** `words` is a list such as `-name:1 -print`. */
export function optionSpec(text: SpecText): OptionSpec {
  return {
    flags: text.flags ?? '',
    values: text.values ?? '',
    optionals: text.optionals ?? '',
    long: words(text.long ?? ''),
    longValues: words(text.longValues ?? ''),
    harmful: words(text.harmful ?? ''),
    words:
      text.words === undefined
        ? undefined
        : new Map(
            text.words.split(' ').map((word) => {
              const [name = '', count = '0'] = word.split(':');
              return [name, Number(count)] as const;
            }),
          ),
    numbers: text.numbers,
    bundle: text.bundle,
    operands: text.operands,
    value: text.value,
    writes: text.writes,
  };
}

/** A word that the shell could turn into an option. */
function mayBecomeOption(field: Field): boolean {
  const first = field.atoms[0];
  if (first === undefined) return false;
  if (first.kind === 'char') return !first.quoted && '*?['.includes(first.char);
  return field.tainted;
}

const SEVERAL = 'a word that may become several, and options among them';

/** The shell splits what a substitution prints, wherever in the word it stands; a place or a number has no blanks. */
const isSplit = (field: Field): boolean =>
  field.atoms.some((atom) => atom.kind === 'opaque' && !atom.quoted && atom.place !== true);

/** Values of an option, as words of their own: of a glob's names only the first would be one. */
const areSeveral = (values: readonly Field[]): boolean =>
  values.some((value) => isSplit(value) || (value.glob && mayBecomeOption(value)));

function resolveLong(name: string, spec: OptionSpec): string | undefined {
  if (spec.long.has(name) || spec.longValues.has(name)) return name;
  const candidates = [...spec.long, ...spec.longValues, ...spec.harmful].filter((each) => each.startsWith(name));
  const only = candidates.length === 1 ? candidates[0] : undefined;
  return only !== undefined && !spec.harmful.has(only) ? only : undefined;
}

interface Reading {
  readonly options: ReadOption[];
  readonly operands: Field[];
}

function refuse(field: Field): string {
  return `the option ${field.text.slice(0, 40)}`;
}

/** Reads the options of `fields`; a text is the reason why they are not all harmless. */
export function readOptions(fields: readonly Field[], spec: OptionSpec): Reading | string {
  const options: ReadOption[] = [];
  const operands: Field[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as Field;
    const { text } = field;
    if (text === '--') {
      operands.push(...fields.slice(at + 1));
      break;
    }
    if (isSplit(field)) return SEVERAL;
    if (at === 0 && spec.bundle === true && !text.startsWith('-')) {
      const taken = takeBundle(fields, spec, options);
      if (taken === undefined) return refuse(field);
      if (areSeveral(fields.slice(at + 1, at + taken + 1))) return SEVERAL;
      at += taken;
      continue;
    }
    if (!text.startsWith('-') || text === '-') {
      if (mayBecomeOption(field)) return 'a word that may become an option';
      operands.push(field);
      continue;
    }
    const arity = spec.words?.get(text);
    if (arity !== undefined) {
      if (areSeveral(fields.slice(at + 1, at + arity + 1))) return SEVERAL;
      at += arity;
      continue;
    }
    const taken = text.startsWith('--')
      ? takeLong(field, fields[at + 1], spec, options)
      : takeShort(field, fields[at + 1], spec, options);
    if (taken === undefined) return refuse(field);
    if (areSeveral(fields.slice(at + 1, at + taken + 1))) return SEVERAL;
    at += taken;
  }
  for (const { name, value } of options) {
    if (value === undefined) continue;
    const why = spec.value?.(name, value);
    if (why !== undefined) return why;
  }
  return { options, operands };
}

function sliceField(field: Field, from: number): Field {
  const atoms = field.atoms.slice(from);
  return { ...field, atoms, text: field.text.slice(from) };
}

/** How many further words it takes; `undefined` refuses. */
function takeLong(field: Field, next: Field | undefined, spec: OptionSpec, options: ReadOption[]): number | undefined {
  const equals = field.text.indexOf('=');
  const written = equals < 0 ? field.text : field.text.slice(0, equals);
  const name = resolveLong(written, spec);
  if (name === undefined) return undefined;
  if (equals >= 0) {
    options.push({ name, value: sliceField(field, equals + 1) });
    return 0;
  }
  const takes = spec.longValues.has(name);
  options.push({ name, value: takes ? next : undefined });
  return takes ? 1 : 0;
}

/** How many words its options take. */
function takeBundle(fields: readonly Field[], spec: OptionSpec, options: ReadOption[]): number | undefined {
  let taken = 0;
  for (const letter of fields[0]?.text ?? '') {
    if (spec.values.includes(letter)) options.push({ name: `-${letter}`, value: fields[++taken] });
    else if (spec.flags.includes(letter)) options.push({ name: `-${letter}`, value: undefined });
    else return undefined;
  }
  return taken;
}

function takeShort(field: Field, next: Field | undefined, spec: OptionSpec, options: ReadOption[]): number | undefined {
  const { text } = field;
  if (spec.numbers === true && [...text.slice(1)].every((char) => char >= '0' && char <= '9')) return 0;
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] as string;
    if (spec.values.includes(letter)) {
      const rest = text.slice(at + 1);
      const value = rest === '' ? next : sliceField(field, at + 1);
      options.push({ name: `-${letter}`, value });
      return rest === '' ? 1 : 0;
    }
    if (spec.optionals.includes(letter)) return 0;
    if (!spec.flags.includes(letter)) return undefined;
    options.push({ name: `-${letter}`, value: undefined });
  }
  return 0;
}
