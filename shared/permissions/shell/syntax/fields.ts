/**
 * Turns a word's atoms into the fields that a program is given.
 *
 * Steps: braces, known variables, field splitting.
 */
import { foldText } from '../../text/characters.ts';
import type { GlobToken } from '../../text/glob.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import type { WorkBudget } from './budget.ts';
import type { Atom } from './word.ts';

export interface Field {
  /** With `UNKNOWN` in place of unknown parts. */
  readonly text: string;
  readonly atoms: readonly Atom[];
  /** No unknown part. */
  readonly isKnown: boolean;
  /** Holds an unquoted `*`, `?` or `[`. */
  readonly hasGlob: boolean;
}

/** `undefined` as a value: set by the command, to something unknown. */
type Variables = ReadonlyMap<string, string | undefined>;

const MAX_FIELDS = 64;
/** A longer word with braces is not expanded: what it makes is not certain. */
const MAX_BRACED = 400;
const GLOB_CHARACTERS = '*?[';

export function fieldOf(atoms: readonly Atom[]): Field {
  let text = '';
  let isKnown = true;
  let hasGlob = false;
  for (const atom of atoms) {
    if (atom.kind === 'char') {
      text += atom.char;
      if (!atom.quoted && GLOB_CHARACTERS.includes(atom.char)) hasGlob = true;
    } else {
      text += UNKNOWN;
      isKnown = false;
    }
  }
  return { text, atoms, isKnown, hasGlob };
}

/** A word of known characters, all quoted or none: most readers look at its text only, and its atoms are made when one looks at them. */
class UniformField implements Field {
  readonly text: string;
  readonly isKnown = true;
  readonly hasGlob: boolean;
  readonly #quoted: boolean;
  #atoms: readonly Atom[] | undefined;

  constructor(text: string, quoted: boolean, glob: boolean) {
    this.text = text;
    this.hasGlob = glob;
    this.#quoted = quoted;
  }

  get atoms(): readonly Atom[] {
    const quoted = this.#quoted;
    this.#atoms ??= Array.from(this.text, (char) => ({ kind: 'char', char, quoted }) as const);
    return this.#atoms;
  }
}

export function literalField(text: string): Field {
  return new UniformField(text, true, false);
}

/** An unquoted word in which nothing but `*` and `?` means anything to a shell. */
export function plainField(text: string): Field {
  return new UniformField(text, false, text.includes('*') || text.includes('?'));
}

/** Any word, where there are more of them than are compared. */
export const ANYTHING: Field = plainField('*');

/** A word as a reading spells it, in which a `*` alone is any word. */
export const wordOf = (text: string): Field => (text === ANYTHING.text ? ANYTHING : literalField(text));

/** Whether the atom is this character, and a shell may read more in it than itself. */
export function isOpen(atom: Atom | undefined, char: string): boolean {
  return atom?.kind === 'char' && !atom.quoted && atom.char === char;
}

/** Alternatives of the first brace list; a `..` sequence counts as unknown text. */
function splitBrace(atoms: readonly Atom[]): Atom[][] | undefined {
  for (let open = 0; open < atoms.length; open++) {
    if (!isOpen(atoms[open], '{')) continue;
    let depth = 0;
    const cuts: number[] = [];
    for (let at = open; at < atoms.length; at++) {
      if (isOpen(atoms[at], '{')) depth++;
      else if (isOpen(atoms[at], ',') && depth === 1) cuts.push(at);
      else if (isOpen(atoms[at], '}') && --depth === 0) {
        const before = atoms.slice(0, open);
        const after = atoms.slice(at + 1);
        if (cuts.length > 0) {
          const edges = [open, ...cuts, at];
          return edges
            .slice(1)
            .map((end, index) => [...before, ...atoms.slice((edges[index] as number) + 1, end), ...after]);
        }
        if (isSequence(atoms.slice(open + 1, at))) return [[...before, { kind: 'opaque', quoted: true }, ...after]];
        break;
      }
    }
  }
  return undefined;
}

function isSequence(atoms: readonly Atom[]): boolean {
  return atoms.some((_, at) => isOpen(atoms[at], '.') && isOpen(atoms[at + 1], '.'));
}

/** Undefined for more alternatives than are looked at. */
export function expandBraces(atoms: readonly Atom[]): Atom[][] | undefined {
  if (!atoms.some((atom) => isOpen(atom, '{'))) return [[...atoms]];
  if (atoms.length > MAX_BRACED) return undefined;
  let pending: Atom[][] = [[...atoms]];
  const done: Atom[][] = [];
  while (pending.length > 0) {
    const next: Atom[][] = [];
    for (const each of pending) {
      const parts = splitBrace(each);
      if (parts === undefined) done.push(each);
      else next.push(...parts);
    }
    if (done.length + next.length > MAX_FIELDS) return undefined;
    pending = next;
  }
  return done;
}

const BLANKS: ReadonlySet<string> = new Set([' ', '\t', '\n']);

/** Replaces known variables; the unquoted value of one splits into fields at blanks. `undefined`: too much to look at. */
function substitute(
  atoms: readonly Atom[],
  isPart: boolean,
  variables: Variables,
  budget: WorkBudget,
): Atom[][] | undefined {
  // `{a,}`: an alternative of nothing makes no word.
  if (!atoms.some((atom) => atom.kind === 'var')) return atoms.length === 0 && isPart ? [] : [[...atoms]];
  const fields: Atom[][] = [[]];
  for (const atom of atoms) {
    const value = atom.kind === 'var' ? variables.get(atom.name) : undefined;
    if (atom.kind !== 'var' || value === undefined) {
      fields.at(-1)?.push(atom);
      continue;
    }
    if (!budget.spend(value.length)) return undefined;
    for (const char of value) {
      if (!atom.quoted && BLANKS.has(char)) fields.push([]);
      else fields.at(-1)?.push({ kind: 'char', char, quoted: atom.quoted });
    }
  }
  const filled = fields.filter((field) => field.length > 0);
  // Quotes make a word of nothing, too.
  return filled.length > 0 || !atoms.some((atom) => atom.quoted) ? filled : [[]];
}

/** The fields of one word; `undefined` when it makes too many or too much. */
export function expandWord(atoms: readonly Atom[], variables: Variables, budget: WorkBudget): Field[] | undefined {
  // The usual case: nothing in it expands.
  if (atoms.length > 0 && !atoms.some((atom) => atom.kind === 'var' || isOpen(atom, '{')))
    return budget.spend(atoms.length) ? [fieldOf(atoms)] : undefined;
  const alternatives = expandBraces(atoms);
  if (alternatives === undefined) return undefined;
  const fields: Field[] = [];
  for (const each of alternatives) {
    const made = budget.spend(each.length) ? substitute(each, alternatives.length > 1, variables, budget) : undefined;
    if (made === undefined) return undefined;
    for (const field of made) fields.push(fieldOf(field));
  }
  return fields;
}

/** The field's segments as folded glob tokens, unknown parts as runs; `undefined` if it is plain text. */
export function globOf(field: Field): GlobToken[][] | undefined {
  if (field.isKnown && !field.hasGlob) return undefined;
  const { atoms } = field;
  const segments: GlobToken[][] = [[]];
  // A bracket that does not close before a slash closes nowhere else either.
  let open = -1;
  for (let at = 0; at < atoms.length; at++) {
    const atom = atoms[at] as Atom;
    const tokens = segments.at(-1) as GlobToken[];
    if (atom.kind === 'char' && atom.char === '/') {
      segments.push([]);
      continue;
    }
    const end = isOpen(atom, '[') && at > open ? endOfSet(atoms, at) : undefined;
    if (end === undefined) {
      pushTokens(atom, tokens);
    } else if (end.closes) {
      tokens.push(end.unclear === true ? { kind: 'run' } : setOf(atoms.slice(at + 1, end.at)));
      at = end.at;
    } else {
      open = end.at;
      tokens.push({ kind: 'char', char: '[' });
    }
  }
  return segments.filter((tokens) => tokens.length > 0 && !(tokens.length === 1 && isDot(tokens[0])));
}

/** The tokens of one atom that begins no set. */
function pushTokens(atom: Atom, tokens: GlobToken[]): void {
  if (atom.kind !== 'char' || isOpen(atom, '*')) tokens.push({ kind: 'run' });
  else if (isOpen(atom, '?')) tokens.push({ kind: 'one' });
  else for (const char of foldText(atom.char)) tokens.push({ kind: 'char', char });
}

interface SetEnd {
  readonly at: number;
  readonly closes: boolean;
  /** The text up to here may be any. */
  readonly unclear?: true;
}

/** Where a bracket expression closes, or where it would have had to. */
function endOfSet(atoms: readonly Atom[], start: number): SetEnd {
  const first = isOpen(atoms[start + 1], '!') || isOpen(atoms[start + 1], '^') ? start + 2 : start + 1;
  let holdsClass = false;
  let at = first;
  for (; at < atoms.length; at++) {
    const atom = atoms[at];
    if (atom?.kind === 'char' && atom.char === '/') break;
    if (at > first && isOpen(atom, ']')) return { at, closes: true };
    if (atom?.kind !== 'char' || atom.char !== '[' || !isMark(atoms[at + 1])) continue;
    holdsClass = true;
    const end = endOfClass(atoms, at);
    if (end === undefined) break;
    at = end;
  }
  return holdsClass ? lastBracket(atoms, start) : { at, closes: false };
}

/** `[:alpha:]`, `[.x.]` and `[=x=]` have a bracket of their own within a set. */
const isMark = (atom: Atom | undefined): boolean => atom?.kind === 'char' && ':.='.includes(atom.char);

/** The end of a class such as `[:alpha:]` without quotes, which all shells read alike. */
function endOfClass(atoms: readonly Atom[], start: number): number | undefined {
  if (!isOpen(atoms[start], '[') || !isOpen(atoms[start + 1], ':')) return undefined;
  let at = start + 2;
  while (isLowerCase(atoms[at])) at++;
  return at > start + 2 && isOpen(atoms[at], ':') && isOpen(atoms[at + 1], ']') ? at + 1 : undefined;
}

const isLowerCase = (atom: Atom | undefined): boolean =>
  atom?.kind === 'char' && !atom.quoted && atom.char >= 'a' && atom.char <= 'z';

/** Shells differ in where a set with such a class closes: at the last bracket of the segment at most, quoted or not. */
function lastBracket(atoms: readonly Atom[], start: number): SetEnd {
  let last = -1;
  let at = start + 1;
  for (; at < atoms.length; at++) {
    const atom = atoms[at];
    if (atom?.kind === 'char' && atom.char === '/') break;
    if (atom?.kind === 'char' && atom.char === ']') last = at;
  }
  return last < 0 ? { at, closes: false } : { at: last, closes: true, unclear: true };
}

/** The characters of a plain class; any other counts as any one character, the safe side. */
function setOf(atoms: readonly Atom[]): GlobToken {
  const characters = atoms.map((atom) => (atom.kind === 'char' ? foldText(atom.char) : ''));
  const isPlain = characters.every((char) => char.length === 1 && !'!^[:'.includes(char));
  if (!isPlain) return { kind: 'one' };
  const ranges: [string, string][] = [];
  for (let at = 0; at < characters.length; at++) {
    const low = characters[at] as string;
    const high = characters[at + 1] === '-' ? characters[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  return ranges.every(([low, high]) => low <= high) ? { kind: 'set', negated: false, ranges } : { kind: 'one' };
}

function isDot(token: GlobToken | undefined): boolean {
  return token?.kind === 'char' && token.char === '.';
}
