/** Reads a command with unknown parts a second way: as if nothing stood in them. */
import type { ShellCommand } from '../syntax/command.ts';
import { type Field, fieldOf } from '../syntax/fields.ts';
import type { Atom } from '../syntax/word.ts';

/** `"$@"` alone makes no word, quoted or not. */
function makesNoWord([atom, ...others]: readonly Atom[]): boolean {
  if (atom === undefined || others.length > 0) return false;
  if (atom.kind === 'opaque') return atom.list === true;
  return atom.kind === 'var' && (atom.name === '@' || (atom.name === '*' && !atom.quoted));
}

/** The atoms that are left where the variable has no value: the default of `${X:-.env}`. */
const emptied = (atom: Atom): readonly Atom[] => {
  // A place, a revision or a number is never empty.
  if (atom.kind === 'char' || (atom.kind === 'opaque' && atom.isOneWord === true)) return [atom];
  return atom.kind === 'opaque' ? (atom.otherwise ?? []) : [];
};

function emptiedField(field: Field): readonly Field[] {
  if (field.isKnown) return [field];
  const atoms = field.atoms.flatMap(emptied);
  if (makesNoWord(field.atoms)) return [];
  return atoms.length > 0 || field.atoms.some((atom) => atom.quoted) ? [fieldOf(atoms)] : [];
}

const cache = new WeakMap<ShellCommand, ShellCommand | null>();

/** Undefined where every word is known, or nothing would be left. Remembered: analysis and coverage both ask. */
export function emptiedOf(command: ShellCommand): ShellCommand | undefined {
  // The usual case.
  if (command.argv.every((field) => field.isKnown)) return undefined;
  let made = cache.get(command);
  if (made === undefined) {
    made = emptiedCommand(command) ?? null;
    cache.set(command, made);
  }
  return made ?? undefined;
}

function emptiedCommand(command: ShellCommand): ShellCommand | undefined {
  const argv = command.argv.flatMap(emptiedField);
  const isSame =
    argv.length === command.argv.length && argv.every((field, at) => field.text === command.argv[at]?.text);
  if (argv.length === 0 || isSame) return undefined;
  return { ...command, argv, foundIn: command.foundIn ?? 'emptied' };
}
