/** Finds the tildes of a word that a shell expands: at its beginning, and behind `=` and `:`. */
import type { Atom } from './word.ts';

const isOpen = (atom: Atom | undefined, char: string): boolean =>
  atom?.kind === 'char' && !atom.quoted && atom.char === char;

/** In characters: the beginning of a longer name tells whether it is a number, as in `~0001`. */
const MAX_NAME = 32;

/** The names behind the tildes: nothing, `+`, `-`, `2`, `user`. */
export function tildesIn(atoms: readonly Atom[]): readonly string[] {
  const names: string[] = [];
  for (const [at, atom] of atoms.entries()) {
    if (!isOpen(atom, '~')) continue;
    if (at > 0 && !isOpen(atoms[at - 1], '=') && !isOpen(atoms[at - 1], ':')) continue;
    let name = '';
    let end = at + 1;
    let next = atoms[end];
    while (next?.kind === 'char' && !next.quoted && !'/:'.includes(next.char) && end - at <= MAX_NAME) {
      name += next.char;
      next = atoms[++end];
    }
    if (end - at > MAX_NAME || next === undefined || isOpen(next, '/') || isOpen(next, ':')) names.push(name);
  }
  return names;
}

/** A place in the stack of folders, and not a user: `+`, `-`, `2`, `+2`. */
export const isOfStack = (name: string): boolean => /^(?:[+-]|[+-]?\d+)$/.test(name);
