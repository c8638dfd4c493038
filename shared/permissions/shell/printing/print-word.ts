/** Prints the atoms of a word in a form that every shell reads as the same word. */
import { isOpen } from '../syntax/fields.ts';
import type { Atom } from '../syntax/word.ts';

/** The text holds something that shells may read in more than one way. */
export class UnprintableError extends Error {
  override readonly name = 'UnprintableError';
}

export function unprintable(what: string): never {
  throw new UnprintableError(what);
}

/** Prints an opaque atom; only the caller knows the commands of a substitution. */
type Substitutions = ReadonlyMap<Atom, string>;

const NAME = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9])$/;
/** Special parameters are printed without braces, because a parser takes `${#}` for the length of a variable. */
const SPECIAL_NAMES = '@*#?$!-';
/** Members of a bracket expression that are members to every shell: no class, no `^`, no slash, no quote. */
const BRACKET_MEMBER = /^[A-Za-z0-9_.,-]$/;
const USER = /^(?:[A-Za-z_][A-Za-z0-9_.-]*)?$/;

/** Single quotes take every character but their own. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Control characters and halves of characters do not reach a shell unchanged by every way. */
function isPlain(char: string): boolean {
  const code = char.codePointAt(0) as number;
  if (code < 0x20) return char === '\t' || char === '\n';
  return code !== 0x7f && !(code >= 0xd800 && code <= 0xdfff);
}

function printVariable(name: string): string {
  if (NAME.test(name)) return `\${${name}}`;
  return name.length === 1 && SPECIAL_NAMES.includes(name) ? `$${name}` : unprintable('a variable');
}

/** The index at which the bracket expression that opens at `open` ends. */
function endOfBracket(atoms: readonly Atom[], open: number): number {
  const first = isOpen(atoms[open + 1], '!') ? open + 2 : open + 1;
  for (let at = first; at < atoms.length; at++) {
    const atom = atoms[at];
    if (isOpen(atom, ']')) return at > first ? at : unprintable('a bracket expression');
    if (atom?.kind !== 'char' || atom.quoted || !BRACKET_MEMBER.test(atom.char)) break;
  }
  return unprintable('a bracket expression');
}

/** The index at which a pattern such as `*` or `[a-z]` ends; undefined where none begins at that index. */
function endOfPattern(atoms: readonly Atom[], at: number): number | undefined {
  if (isOpen(atoms[at], '*') || isOpen(atoms[at], '?')) return at;
  return isOpen(atoms[at], '[') ? endOfBracket(atoms, at) : undefined;
}

function literalChar(atoms: readonly Atom[], at: number): string {
  const atom = atoms[at] as Extract<Atom, { kind: 'char' }>;
  if (!isPlain(atom.char)) unprintable('a control character');
  // `X=~/a` as an argument: bash expands it, dash does not.
  if (isOpen(atom, '~') && (isOpen(atoms[at - 1], '=') || isOpen(atoms[at - 1], ':')))
    unprintable('a tilde within a word');
  return atom.char;
}

/** How many atoms the tilde prefix has, its slash among them; 0 if the word begins with none. */
function tildePrefix(atoms: readonly Atom[]): number {
  if (!isOpen(atoms[0], '~')) return 0;
  const slash = atoms.findIndex((atom) => isOpen(atom, '/'));
  const prefix = slash < 0 ? atoms : atoms.slice(0, slash + 1);
  const user = prefix.slice(1, slash < 0 ? undefined : slash);
  // A quote within the prefix turns it off, `~+` and `~1` mean something to bash alone.
  if (user.some((atom) => atom.kind !== 'char' || atom.quoted) || !USER.test(plainText(user)))
    unprintable('a tilde prefix');
  return prefix.length;
}

function plainText(atoms: readonly Atom[]): string {
  return atoms.map((atom) => (atom.kind === 'char' ? atom.char : '')).join('');
}

/** One word: literal characters in single quotes, patterns bare, expansions in braces. */
export function printWord(atoms: readonly Atom[], substitutions: Substitutions): string {
  const prefix = tildePrefix(atoms);
  let printed = plainText(atoms.slice(0, prefix));
  let literal = '';
  const put = (text: string) => {
    if (literal !== '') printed += quoted(literal);
    literal = '';
    printed += text;
  };
  for (let at = prefix; at < atoms.length; at++) {
    const atom = atoms[at] as Atom;
    switch (atom.kind) {
      case 'var': {
        const text = printVariable(atom.name);
        put(atom.quoted ? `"${text}"` : text);
        break;
      }
      case 'opaque': {
        const text = substitutions.get(atom) ?? unprintable('a part that only the shell can know');
        put(atom.quoted ? `"${text}"` : text);
        break;
      }
      case 'char': {
        const end = endOfPattern(atoms, at);
        if (end === undefined) literal += literalChar(atoms, at);
        else put(plainText(atoms.slice(at, end + 1)));
        at = end ?? at;
        break;
      }
      default:
        unprintable(`an unknown part ${atom satisfies never}`);
    }
  }
  put('');
  return printed === '' ? "''" : printed;
}

/** Neither split into fields nor matched against names: the same one word wherever it stands. */
export function isOneWord(atoms: readonly Atom[]): boolean {
  return atoms.every((atom) => atom.quoted || (atom.kind === 'char' && !'*?['.includes(atom.char)));
}
