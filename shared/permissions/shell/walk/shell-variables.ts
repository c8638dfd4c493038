/**
 * Tracks the variables of a shell text.
 *
 * Tracks their known values, and the ones that hold a command's output.
 */
import { recordOf } from '../../programs/catalogue/index.ts';
import { CHOSEN_BY_TEXT } from '../../programs/catalogue/names/variables.ts';
import type { SetsVariables } from '../../programs/record/record.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import { programOf } from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import type { Atom } from '../syntax/word.ts';
import { builtinWords } from './builtin-words.ts';

/** Whether the atom is a command's output that may be any text. */
export function isOutput(atom: Atom): boolean {
  return atom.kind === 'opaque' && atom.isOneWord !== true;
}

/** Longer values are not followed, because `x=$x$x` doubles. In UTF-16 units. */
const MAX_TEXT = 4096;

const hasDefault = (atom: Atom): boolean => atom.kind === 'opaque' && atom.name !== undefined;

/** All parameters at once: as many words as there are. */
const isList = (name: string): boolean => name === '@' || name === '*';

/** A part of the text that may not run, or in a process of its own, or again and again. */
interface Branch {
  /** Variables that the loop has read so far: an assignment further down changes them by the loop's next turn. */
  readonly read?: Set<string> | undefined;
}

export class ShellVariables {
  /** An undefined value: the text sets the variable to something unknown. */
  readonly values = new Map<string, string | undefined>();
  /** Variables that hold output, and whether that is a place, revision or number. */
  readonly #output = new Map<string, { readonly isOneWord: boolean }>();
  /** Variables that hold a name which this word matches. */
  readonly #patterns = new Map<string, readonly Atom[]>();
  /** The branch in which the text has set each variable; `undefined`: the variable's value is not certain. */
  readonly #setIn = new Map<string, Branch | undefined>();
  /** Variables without a known value that hold what others of the text held. */
  readonly #chosen = new Set<string>();
  /** The text has given `$1` and its like values. */
  #hasParameters = false;
  /** Variables that the text has set since code ran that may have set any variable; `undefined`: no such code ran. */
  #setSince: Set<string> | undefined;
  readonly #branches: Branch[] = [{}];
  readonly #doubt: () => void;

  /** `doubt` is told of each use of a variable that the text may have given another value; `isWithin`: code around it may have set any. */
  constructor(known: Readonly<Record<string, string>>, doubt: () => void, isWithin: boolean) {
    this.#doubt = doubt;
    if (isWithin) this.#setSince = new Set();
    for (const [name, value] of Object.entries(known)) this.values.set(name, value);
  }

  /** `made`: the fields that the value comes from; any command's output among them makes it output. */
  set(name: string, value: string | undefined, made: readonly (Field | undefined)[] = []): void {
    this.values.set(name, value);
    this.#patterns.delete(name);
    this.#setIn.set(name, this.#branches.at(-1));
    if (this.#branches.some(({ read }) => read?.has(name))) this.#doubt();
    const atoms = made.flatMap((field) => field?.atoms ?? []);
    if (value === undefined && atoms.some((atom) => atom.kind === 'var' && this.#isChosen(atom.name)))
      this.#chosen.add(name);
    else this.#chosen.delete(name);
    this.#setSince?.add(name);
    if (atoms.some(isOutput)) this.#output.set(name, { isOneWord: false });
    else if (atoms.length === 1 && atoms[0]?.kind === 'opaque') this.#output.set(name, { isOneWord: true });
    else this.#output.delete(name);
  }

  /** A shell that does not know the assignment leaves the variable as it was. */
  unsettle(name: string): void {
    this.#setIn.set(name, undefined);
  }

  /** Sets the variable of a loop over a glob, which holds one of the names that the glob matches. */
  setPattern(name: string, { atoms }: Field): void {
    this.set(name, undefined);
    this.#patterns.set(name, atoms);
  }

  /** Runs `run` as a branch: a variable that it sets is not certain behind it. */
  within(run: () => void, loop = false): void {
    this.#branches.push(loop ? { read: new Set() } : {});
    run();
    this.#branches.pop();
  }

  /** Applies the effect of a command on the variables. */
  afterCommand(words: readonly Field[]): void {
    const { argv } = builtinWords(words);
    if (argv.length === 0) return;
    const name = programOf(argv[0]);
    const record = name === undefined ? undefined : recordOf(name);
    const sets = record?.variables;
    if (sets?.kind === 'any' || (sets?.kind === 'parameters' && record?.free?.(argv.slice(1)) !== true))
      this.#hasParameters = true;
    this.#setNames(argv, name, sets, record?.declares !== undefined);
  }

  #setNames(
    argv: readonly Field[],
    name: string | undefined,
    sets: SetsVariables | undefined,
    declares: boolean,
  ): void {
    const words = argv.slice(1).map((field) => field.text.split('=')[0] as string);
    // `read $a`: any of them.
    const setsAny =
      name === undefined ||
      sets?.kind === 'any' ||
      ((sets !== undefined || declares) && words.some((word) => word.includes(UNKNOWN)));
    if (setsAny) for (const each of this.#setIn.keys()) this.#setIn.set(each, undefined);
    if (sets?.kind === 'any') this.#setSince = new Set();
    if (name === 'unset' || name === 'local') for (const word of words) this.#setIn.set(word, undefined);
    if (sets === undefined || sets.kind === 'any' || sets.kind === 'parameters') return;
    for (const [at, word] of words.entries()) {
      if (sets.kind === 'operands') {
        if (!word.startsWith('-')) this.#setUnknown(word);
      } else if (words[at - 1] === sets.option) this.#setUnknown(word);
      else if (word.startsWith(sets.option)) this.#setUnknown(word.slice(sets.option.length));
    }
  }

  #setUnknown(name: string): void {
    this.values.set(name, undefined);
    this.#setIn.set(name, undefined);
    this.#patterns.delete(name);
    this.#output.set(name, { isOneWord: false });
  }

  /** `command export v=x`: the parser sees no more than words. */
  afterDeclaration(words: readonly Field[]): void {
    const { argv } = builtinWords(words);
    if (recordOf(programOf(argv[0]) ?? '')?.declares !== undefined)
      for (const field of argv.slice(1)) this.setDeclared(field);
  }

  /** A word such as `"v=x"` of `export`, where the parser sees no assignment. */
  setDeclared({ text, isKnown }: Field): void {
    const equals = text.indexOf('=');
    if (equals <= 0 || text.startsWith('-')) return;
    const value = text.slice(equals + 1);
    // A tilde is expanded or not, by the quotes around it.
    if (isKnown && !value.includes('~')) this.set(text.slice(0, equals), value);
    else this.#setUnknown(text.slice(0, equals));
  }

  /** Whether the text, or code that it runs, may have set the variable. */
  mayBeSet(name: string): boolean {
    return this.#setIn.has(name) || this.#isChosenNow(name);
  }

  /** Replaces each variable that holds a command's output by that output. */
  resolved(word: readonly Atom[]): readonly Atom[] {
    // `${HOME:-x}` is `$HOME` where that has a value.
    const atoms = word.some(hasDefault) ? word.map((atom) => this.#valueOrDefault(atom)) : word;
    for (const atom of atoms) {
      if (atom.kind !== 'var') continue;
      // Such a variable holds words that the text itself has run or read before.
      if (CHOSEN_BY_TEXT.has(atom.name)) this.#doubt();
      this.#read(atom.name);
      // The value is split at other characters than blanks.
      if (!atom.quoted && this.values.get(atom.name) !== undefined && this.mayBeSet('IFS')) this.#doubt();
    }
    const isUsual = this.#output.size + this.#patterns.size + this.#chosen.size === 0;
    if (isUsual && this.#setSince === undefined && !this.#hasParameters) return atoms;
    return atoms.flatMap((atom): readonly Atom[] => {
      const pattern = atom.kind === 'var' ? this.#patterns.get(atom.name) : undefined;
      if (pattern !== undefined) return pattern;
      const output = atom.kind === 'var' ? this.#output.get(atom.name) : undefined;
      if (output !== undefined) return [{ kind: 'opaque', quoted: atom.quoted, ...output }];
      // The text may have changed a known value. Such a change is a doubt, and deny rules still see the known value.
      if (atom.kind !== 'var' || this.values.get(atom.name) !== undefined) return [atom];
      if (!this.#isChosenNow(atom.name) && !this.#isParameter(atom.name)) return [atom];
      return [{ kind: 'opaque', quoted: atom.quoted, ...(isList(atom.name) ? { list: true } : {}) }];
    });
  }

  #valueOrDefault(atom: Atom): Atom {
    const name = atom.kind === 'opaque' ? atom.name : undefined;
    return name !== undefined && this.values.get(name) ? { kind: 'var', name, quoted: atom.quoted } : atom;
  }

  /** The text of an assigned word where all of it is known: `OUT=$DIR/x`. Within a branch it is left open, as its parts may be. */
  textOf(atoms: readonly Atom[]): string | undefined {
    if (this.#branches.length > 1) return undefined;
    let text = '';
    for (const atom of atoms) {
      if (atom.kind === 'opaque' || (atom.kind === 'char' && atom.char === '~' && !atom.quoted)) return undefined;
      const part = atom.kind === 'char' ? atom.char : this.values.get(atom.name);
      if (part === undefined || text.length + part.length > MAX_TEXT) return undefined;
      text += part;
    }
    return text;
  }

  /** The value of such a variable is the text's choice, known or not. */
  #isChosen(name: string): boolean {
    return this.values.has(name) || name === 'OLDPWD' || this.#isChosenNow(name);
  }

  #isParameter(name: string): boolean {
    return this.#hasParameters && (isList(name) || (name[0] as string) <= '9');
  }

  #isChosenNow(name: string): boolean {
    return this.#chosen.has(name) || (this.#setSince !== undefined && !this.#setSince.has(name));
  }

  #read(name: string): void {
    if (this.values.get(name) === undefined) return;
    const branch = this.#setIn.get(name);
    const at = branch === undefined ? 0 : this.#branches.indexOf(branch);
    if (at < 0 || (branch === undefined && this.#setIn.has(name)) || this.#isChosenNow(name)) this.#doubt();
    // A loop that sets a variable before it reads it does so at each turn: only loops within the one that sets it note the read.
    for (const { read } of this.#branches.slice(at + 1)) read?.add(name);
  }

  /** Returns a function that restores the variable to its present state, as at the end of `X=1 cmd`. */
  keep(name: string): () => void {
    const known = this.values.has(name);
    const value = this.values.get(name);
    const output = this.#output.get(name);
    const setIn = this.#setIn.has(name) ? { branch: this.#setIn.get(name) } : undefined;
    return () => {
      if (setIn !== undefined) this.#setIn.set(name, setIn.branch);
      else this.#setIn.delete(name);
      if (known) this.values.set(name, value);
      else this.values.delete(name);
      if (output !== undefined) this.#output.set(name, output);
      else this.#output.delete(name);
    };
  }
}
