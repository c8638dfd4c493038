/** Reads a word's globs as high as a shell may, as some of them may be the folder above. */
import { mayBeParent, segmentOf } from '../../paths/glob-strength.ts';
import { highest } from '../../paths/glob-word.ts';
import { type Field, fieldOf, globOf, isOpen } from './fields.ts';
import type { Atom } from './word.ts';

/** The word's text with `..` for each glob that may be that: `.?` is `..` as well to dash, to busybox and to bash before 5.2. */
export function climbing(field: Field): string {
  if (!field.hasGlob) return field.text;
  const parts = partsOf(field.atoms);
  return highest(field.text, (_, at) => isParent(parts[at] ?? [])) ?? field.text;
}

/** The same for a text that a program printed, whose globs a shell may have read or not. */
export const climbingText = (text: string): string =>
  climbing(fieldOf(Array.from(text, (char) => ({ kind: 'char', char, quoted: false }))));

function isParent(part: readonly Atom[]): boolean {
  if (part.some(({ kind }) => kind !== 'char') || leavesOutDots(part)) return false;
  const [tokens] = globOf(fieldOf(part)) ?? [];
  return tokens !== undefined && mayBeParent(segmentOf(tokens, false));
}

/** `.[!.]*` is how people leave `..` out. To dash `[^.]` is no such set, and `[!.-!]` an empty range. */
const leavesOutDots = (part: readonly Atom[]): boolean =>
  ['.', '[', '!', '.'].every((char, at) => isOpen(part[at], char)) && !isOpen(part[4], '-');

/** The atoms of each part of a path. */
function partsOf(atoms: readonly Atom[]): readonly (readonly Atom[])[] {
  const parts: Atom[][] = [[]];
  for (const atom of atoms) {
    if (atom.kind === 'char' && atom.char === '/') parts.push([]);
    else parts.at(-1)?.push(atom);
  }
  return parts;
}
