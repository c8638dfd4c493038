/** Finds the words of a command that name a file which it writes: they are judged like redirections. */
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import type { ReadOption } from './options.ts';
import type { CommandRecord } from './record.ts';

type Writes = NonNullable<CommandRecord['writes']>;

const STANDARD: ReadonlySet<string> = new Set(['-', '/dev/null', '/dev/stdout']);

/** Standard output is none. */
export const written = (fields: readonly Field[]): readonly Field[] => fields.filter(({ text }) => !STANDARD.has(text));

/** The folder in which it runs: the files get names that no word says. */
export const HERE: readonly Field[] = [literalField('.')];
export const intoHere: Writes = () => HERE;

/** `convert a b`: with one operand, too, because an input is written over where no output is named. */
export const lastOperand: Writes = (operands) => written(operands.slice(-1));
export const firstOperand: Writes = (operands) => written(operands.slice(0, 1));
/** Each operand is changed, or may be a value or an output: nothing tells them apart. */
export const everyOperand: Writes = (operands) => written(operands);

/** The shell makes several words of it, as of `src/*`: which of the operands behind it is which cannot be told. */
export const mayBeSeveral = ({ hasGlob, atoms }: Field): boolean =>
  hasGlob ||
  atoms.some((atom) => !atom.quoted && (atom.kind === 'var' || (atom.kind === 'opaque' && atom.isOneWord !== true)));

/** `pdftotext a b`: the second; without one, a file beside the first. */
export const secondOperand: Writes = (operands) => {
  const second = written(outputBehind(operands, 2));
  return second.length > 0 ? second : written(operands);
};

/** `xxd a b`, `uniq a b`: the second and those behind it, up to `end`, where there are any. */
export const outputBehind = (operands: readonly Field[], end?: number): readonly Field[] =>
  operands[0] !== undefined && mayBeSeveral(operands[0]) ? operands : operands.slice(1, end);

/** `host:file`, `gs://bucket/key`, `docker://image`: not on this machine. A word that is not certain may be a file. */
const isRemote = ({ text, isKnown }: Field): boolean => isKnown && /^[^/.~][^/]*:/.test(text);

/** The target of a copy, where it is a file of this machine. */
export const localTarget: Writes = (operands) => written(operands.slice(-1)).filter((field) => !isRemote(field));

/** The target of skopeo: `dir:PATH` and its like are folders and files of this machine, `docker://HOST/NAME` is none. */
export const imageTarget: Writes = (operands) =>
  operands.slice(-1).flatMap(({ text, isKnown }) => {
    const path = /^(?:dir|oci|sif|(?:oci|docker)-archive):([^:]*)|^ostree:[^@]*@(.*)/
      .exec(text)
      ?.slice(1)
      .find((each) => each !== undefined);
    if (path !== undefined) return [literalField(path)];
    return isKnown && text.includes(':') ? [] : [literalField(text)];
  });

/** The file or folder that one of the options names, and otherwise the folder in which it runs. */
export const optionOrHere =
  (...names: readonly string[]): Writes =>
  (_, options) => {
    const values = valuesOf(options, names);
    return values.length > 0 ? written(values) : HERE;
  };

/** The file or folder that one of the options names; without one, the program writes to a folder of its own. */
export const optionOnly =
  (...names: readonly string[]): Writes =>
  (_, options) =>
    written(valuesOf(options, names));

const valuesOf = (options: readonly ReadOption[], names: readonly string[]): readonly Field[] =>
  options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
