/** Tells whether an operand of a command may be one that a rule names with a `*`. */
import type { Field } from '../../shell/syntax/fields.ts';

/** Signs that another reader than the shell may replace: of URLs, of globs, of other alphabets, of code. A phrase is a message or code. */
const REPLACED = /[%\\[\]{}*?^~\u0080-\uffff]|\|\|/;
const REPLACED_IN_PHRASE = /[\\\u0080-\uffff]|\|\|/;
/** Names of what stands elsewhere: the branch before, the present one, a folder above. */
const ELSEWHERE = /^(?:-|@|HEAD|[./]+)$|(?:^|[/=:])\.\.(?:$|\/)/;
const NUMBERED_HOST = /^\d+\.\d/;

export class PossibleOperands {
  /** Some operand may be anything. */
  readonly #isOpen: boolean;
  readonly #words: ReadonlySet<string>;
  readonly #hasAbsolute: boolean;
  readonly #text: string;
  readonly #dirs: readonly string[];

  /** @param dirs the folders in which the command may run */
  constructor(fields: readonly Field[], dirs: readonly string[]) {
    const words = fields.map(({ text }) => plainOf(text));
    this.#dirs = dirs.map((dir) => `${dir}/`.toLowerCase());
    const isAbove = (word: string): boolean => this.#dirs.some((dir) => dir.startsWith(`${word}/`));
    this.#isOpen = fields.some(({ text }) => isReplaced(text)) || words.some(isAbove);
    this.#words = new Set(words);
    this.#hasAbsolute = words.some((word) => word.startsWith('/'));
    this.#text = ` ${[...new Set([...words, ...words.map(withoutPort)])].join(' ')}`;
  }

  /** Whether the parts of the word stand in the command; a folder above a path counts as the path. */
  mayInclude(word: string): boolean {
    if (this.#isOpen) return true;
    const [first = '', ...pieces] = piecesOf(word);
    if (NUMBERED_HOST.test(first) || this.#isBeside(first) || this.#hasFolderOf(first)) return true;
    return pieces.every((piece) => this.#text.includes(piece)) && (first === '' || this.#begins(first));
  }

  /** A path that operands name from elsewhere: `../x` in full, `/workspace/app/x` as `x`. */
  #isBeside(path: string): boolean {
    if (/^[.~]/.test(path)) return this.#hasAbsolute;
    return path.length > 1 && this.#dirs.some((dir) => path.startsWith(dir) || dir.startsWith(path));
  }

  #hasFolderOf(path: string): boolean {
    for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1))
      if (this.#words.has(path.slice(0, at))) return true;
    return false;
  }

  /** At the start of a word or of a part of one: `main` in `HEAD:main` and in `refs/heads/main`; attached to a letter: `-nprod`. */
  #begins(piece: string): boolean {
    let start = 0;
    for (let at = this.#text.indexOf(piece, 1); at > 0; at = this.#text.indexOf(piece, at + 1)) {
      if (!/[a-z0-9]/.test(this.#text[at - 1] as string)) return true;
      for (let next = start; next >= 0 && next < at; next = this.#text.indexOf(' ', next + 1)) start = next;
      if (this.#text[start + 1] === '-') return true;
    }
    return false;
  }
}

const cache = new Map<string, readonly string[]>();
/** Rules of all policies of a process; more are parted again each time. */
const MAX_CACHED = 10_000;

/** The parts between the `*` of a word. */
function piecesOf(word: string): readonly string[] {
  let pieces = cache.get(word);
  if (pieces === undefined) {
    pieces = plainOf(word).split('*').map(shortest);
    if (cache.size < MAX_CACHED) cache.set(word, pieces);
  }
  return pieces;
}

const isReplaced = (text: string): boolean =>
  ELSEWHERE.test(text) || (/\s/.test(text) ? REPLACED_IN_PHRASE : REPLACED).test(text);

/** In small letters, with each path in its shortest form. */
const plainOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/(?<!:)\/(?:\.?\/)+/g, '/')
    .replace(/(^|[=:])(?:\.\/)+(?=.)/g, '$1');

const withoutPort = (word: string): string => word.replace(/(:\/\/[^/:]*):\d+(?=\/|$)/, '$1');

/** Without what a program may leave out or add: the slash behind a folder; the scheme, user and port of an address, and with them its path. */
function shortest(piece: string): string {
  const host =
    /^(?:[a-z][a-z+.-]*:\/\/(?:[^/@]*@)?|[^/@:]+@(?=[^/:]+:)|(?=[\w-]+(?:(?:\.[\w-]+)+[:/]|:\/[^/])))([^/:]*)/.exec(
      piece,
    )?.[1];
  return host ?? (piece.length > 1 ? piece.replace(/\/$/, '') : piece);
}
