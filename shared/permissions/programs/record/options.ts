/** Reads a command's options against its record, and names the first that is not harmless. */
import type { Field } from '../../shell/syntax/fields.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import { isTelling, loadsPart } from './telling-options.ts';

export interface OptionSpec {
  /**
   * An option that is not listed: `refuse` where the program's options are known, `cover` where none of them does harm, `net` where only
   * those with telling names are left out.
   */
  readonly others: 'refuse' | 'cover' | 'net';
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
  /** Looks at all words in their order, where what an option says depends on what stands before it. */
  readonly whole?: ((words: readonly Field[]) => string | undefined) | undefined;
  /** Looks at the value of an option. */
  readonly value?: ((name: string, value: Field) => string | undefined) | undefined;
  /** Texts within any word that hand it another program all the same. */
  readonly texts?: readonly string[] | undefined;
}

export interface ReadOption {
  readonly name: string;
  readonly value: Field | undefined;
}

const NO_WORDS: ReadonlySet<string> = new Set();

/** Most lists of a record are empty, and there are thousands. */
const words = (text: string): ReadonlySet<string> =>
  text === '' ? NO_WORDS : new Set(text.split(' ').filter((word) => word !== ''));

export interface SpecText {
  others?: OptionSpec['others'];
  texts?: readonly string[];
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
  whole?: OptionSpec['whole'];
  value?: OptionSpec['value'];
}

/** `words` is a list such as `-name:1 -print`. */
export function optionSpec(text: SpecText): OptionSpec {
  return {
    others: text.others ?? 'refuse',
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
              // `-c:v` is a name.
              const [, name = word, count = '0'] = /^(.+):(\d)$/.exec(word) ?? [];
              return [name, Number(count)] as const;
            }),
          ),
    numbers: text.numbers,
    bundle: text.bundle,
    operands: text.operands,
    whole: text.whole,
    value: text.value,
    texts: text.texts,
  };
}

/** No option of the program does harm. */
export const ANY_OPTION: OptionSpec = optionSpec({ others: 'cover' });
/** Nothing is known of the program: only options with telling names are left out. */
export const NET: OptionSpec = optionSpec({ others: 'net' });
/** Nobody has described the program at all: custom says what its short options mean. */
export const BY_CUSTOM: OptionSpec = optionSpec({ others: 'net' });

/** A word that the shell could turn into an option: its beginning is not certain, and neither a place nor a number. */
export function mayBecomeOption(field: Field): boolean {
  // The usual case.
  if (field.isKnown && !field.hasGlob) return false;
  const first = field.atoms[0];
  if (first === undefined) return false;
  if (first.kind === 'char') return !first.quoted && '*?['.includes(first.char);
  return first.kind === 'var' || first.isOneWord !== true;
}

/** An option of which not even the name is certain: `--conf${x}ig`. */
const isUncertainOption = (field: Field): boolean =>
  field.text.startsWith('-') && (field.text.split('=')[0] as string).includes(UNKNOWN);

/** `-j$(nproc)`: a letter that takes the rest, which is a number or a place. */
const hasCertainLetter = ({ text, atoms }: Field, { values, optionals }: OptionSpec): boolean =>
  text[1] !== UNKNOWN &&
  (values + optionals).includes(text[1] as string) &&
  atoms.every((atom) => atom.kind === 'char' || (atom.kind === 'opaque' && atom.isOneWord === true));

/** An option whose name the shell makes from a glob: `--conf?g=x`, where a file has such a name. */
export function isGlobOption(field: Field): boolean {
  if (!field.hasGlob) return false;
  for (const atom of field.atoms) {
    if (atom.kind !== 'char') return false;
    if (atom.char === '=') return false;
    if (!atom.quoted && '*?['.includes(atom.char)) return true;
  }
  return false;
}

const SEVERAL = 'a word that may become several, and options among them';

/** The shell splits what a substitution prints, wherever in the word it stands; a place or a number has no blanks. */
const isSplit = (field: Field): boolean =>
  !field.isKnown && field.atoms.some((atom) => atom.kind === 'opaque' && !atom.quoted && atom.isOneWord !== true);

/** Values of an option, as words of their own: of a glob's names only the first would be one. */
const areSeveral = (values: readonly Field[]): boolean =>
  values.some((value) => isSplit(value) || (value.hasGlob && mayBecomeOption(value)));

function resolveLong(name: string, spec: OptionSpec): string | undefined {
  if (spec.long.has(name) || spec.longValues.has(name)) return name;
  let only: string | undefined;
  for (const names of [spec.long, spec.longValues, spec.harmful]) {
    for (const each of names) {
      if (!each.startsWith(name)) continue;
      if (only !== undefined) return undefined;
      only = each;
    }
  }
  return only !== undefined && !spec.harmful.has(only) ? only : undefined;
}

export interface Reading {
  readonly options: ReadOption[];
  readonly operands: Field[];
}

function refuse(field: Field): string {
  return `the option ${field.text.slice(0, 40)}`;
}

/** Whether a word is one of the spec's harmless options; `true` takes no word behind it. */
function takeOption(fields: readonly Field[], at: number, spec: OptionSpec, options: ReadOption[]): number | undefined {
  const field = fields[at] as Field;
  const arity = spec.words?.get(field.text);
  if (arity !== undefined) {
    options.push({ name: field.text, value: arity === 1 ? fields[at + 1] : undefined });
    return arity;
  }
  const equals = field.text.indexOf('=');
  if (equals > 0 && spec.words?.has(field.text.slice(0, equals)) === true) {
    options.push({ name: field.text.slice(0, equals), value: sliceField(field, equals + 1) });
    return 0;
  }
  return field.text.startsWith('--')
    ? takeLong(field, fields[at + 1], spec, options)
    : takeShort(field, fields[at + 1], spec, options);
}

/** Any option that the spec does not name as harmful passes, unless its name is telling or its value is a whole text. */
function takeByName(fields: readonly Field[], at: number, spec: OptionSpec, options: ReadOption[]): number | undefined {
  const field = fields[at] as Field;
  const name = field.text.split('=')[0] as string;
  // A listed name is that option, also where it begins the name of another one.
  const isListed = spec.long.has(name) || spec.longValues.has(name) || spec.words?.has(name) === true;
  if (!isListed && isHarmfulOption(field.text, spec.harmful)) return undefined;
  const taken = takeOption(fields, at, spec, options);
  if (taken !== undefined) return taken;
  if (isGlobOption(field)) return undefined;
  const next = fields[at + 1];
  // Text behind an option's letter may be its value, if nobody has described the program.
  const attached = spec === NET || spec === BY_CUSTOM ? field.text : field.text.slice(name.length + 1);
  const holdsText = [attached, next?.text.startsWith('-') === false ? next.text : ''].some(hasBlank);
  if (spec.others === 'net' && (isTelling(field.text) || holdsText)) return undefined;
  const value = name === field.text ? next?.text : field.text.slice(name.length + 1);
  if (value !== undefined && loadsPart(name, value)) return undefined;
  if (spec === BY_CUSTOM && TAKES_CODE.test(field.text)) return undefined;
  options.push({ name, value: undefined });
  return 0;
}

/** By custom `-c` names a configuration or a command, and `-e` holds code: `-count` is another option. */
const TAKES_CODE = /^-[ce](?![a-z]{2})/;

export const hasBlank = (text: string): boolean => text.includes(' ') || text.includes('\t') || text.includes('\n');

/** A word that is, abbreviates or attaches a value to a harmful option, with however many dashes. */
function isHarmfulOption(word: string, harmful: ReadonlySet<string>): boolean {
  if (harmful.size === 0) return false;
  const name = optionName(word);
  for (const each of harmful) {
    if (each.length === 2) {
      if (!word.startsWith('--') && word.includes(each[1] as string, 1)) return true;
      continue;
    }
    const full = optionName(each);
    // A cluster or an attached value is `-rf.env`, `-fpatterns`; an abbreviation has two letters at least.
    if (name === full || (name.length > 1 && full.startsWith(name))) return true;
  }
  return false;
}

/** Without its dashes: many programs take one for two, and two for one. */
function optionName(word: string): string {
  let start = 0;
  while (word[start] === '-') start++;
  const end = word.indexOf('=', start);
  return end < 0 ? word.slice(start) : word.slice(start, end);
}

/** Reads the options of `fields`; a text is the reason why they are not all harmless. */
export function readOptions(fields: readonly Field[], spec: OptionSpec): Reading | string {
  const options: ReadOption[] = [];
  const operands: Field[] = [];
  if (spec.others === 'cover')
    return { options, operands: fields.filter(({ text }) => !text.startsWith('-') || text === '-') };
  const refused = fields.find(({ text }) => spec.texts?.some((each) => text.includes(each)));
  if (refused !== undefined) return `the word ${refused.text.slice(0, 40)}`;
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as Field;
    if (field.text === '--') {
      operands.push(...fields.slice(at + 1));
      break;
    }
    if (isSplit(field)) return SEVERAL;
    const isBundle = at === 0 && spec.bundle === true && !field.text.startsWith('-');
    if (!isBundle && isOperand(field)) {
      if (mayBecomeOption(field)) return 'a word that may become an option';
      operands.push(field);
      continue;
    }
    if (!isBundle && isUncertainOption(field) && !hasCertainLetter(field, spec)) return 'an option that is not literal';
    const taken = isBundle ? takeBundle(fields, spec, options) : take(fields, at, spec, options);
    if (taken === undefined) return refuse(field);
    if (areSeveral(fields.slice(at + 1, at + taken + 1))) return SEVERAL;
    at += taken;
  }
  return valueProblem(options, spec) ?? spec.whole?.(fields) ?? { options, operands };
}

const isOperand = ({ text }: Field): boolean => !text.startsWith('-') || text === '-';

/** How many further words the option takes; `undefined` refuses. */
const take = (fields: readonly Field[], at: number, spec: OptionSpec, options: ReadOption[]): number | undefined =>
  spec.others === 'net' ? takeByName(fields, at, spec, options) : takeOption(fields, at, spec, options);

/** Why an option with this value is not harmless. */
function valueProblem(options: readonly ReadOption[], spec: OptionSpec): string | undefined {
  for (const { name, value } of options) {
    if (value === undefined) continue;
    const why = spec.value?.(name, value);
    if (why !== undefined) return why;
    if (spec.others === 'net' && loadsPart(name, value.text)) return `the value of ${name}`;
  }
  return undefined;
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
    if (spec.optionals.includes(letter)) {
      const rest = text.slice(at + 1);
      options.push({ name: `-${letter}`, value: rest === '' ? undefined : sliceField(field, at + 1) });
      return 0;
    }
    if (!spec.flags.includes(letter)) return undefined;
    options.push({ name: `-${letter}`, value: undefined });
  }
  return 0;
}
