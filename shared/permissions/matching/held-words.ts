/** Tells whether an operand of a command may be one that a rule names with a `*`. */
import type { Field } from '../shell/syntax/fields.ts';

/** Signs that another reader than the shell may replace: of URLs, of globs, of other alphabets, of code. A phrase is a message or code. */
const REPLACED = /[%\\[\]{}*?^~\u0080-\uffff]|\|\|/;
const REPLACED_IN_PHRASE = /[\\\u0080-\uffff]|\|\|/;
/** Names of what stands elsewhere: the branch before, the present one, a folder above. */
const ELSEWHERE = /^(?:-|@|HEAD|[./]+)$|(?:^|[/=:])\.\.(?:$|\/)/;
const NUMBERED_HOST = /^\d+\.\d/;

export class HeldWords {
  /** Some operand may be anything. */
  readonly #isOpen: boolean;
  readonly #words: readonly string[];
  readonly #text: string;
  readonly #dirs: readonly string[];

  /** @param dirs the folders in which the command may run */
  constructor(fields: readonly Field[], dirs: readonly string[]) {
    this.#isOpen = fields.some(({ text }) => isReplaced(text));
    this.#words = fields.map(({ text }) => plainOf(text));
    this.#text = ` ${this.#words.join(' ')}`;
    this.#dirs = dirs.map((dir) => `${dir}/`.toLowerCase());
  }

  /** Whether the parts of the word stand in the command; a folder above a path counts as the path. */
  mayHold(word: string): boolean {
    if (this.#isOpen) return true;
    const [first = '', ...pieces] = plainOf(word).split('*').map(shortest);
    if (NUMBERED_HOST.test(first) || this.#isBeside(first) || this.#words.some((text) => this.#isAbove(text, first)))
      return true;
    return pieces.every((piece) => this.#text.includes(piece)) && (first === '' || this.#begins(first));
  }

  /** A path that operands name from elsewhere: `../x` in full, `/workspace/app/x` as `x`. */
  #isBeside(path: string): boolean {
    if (/^[.~]/.test(path)) return this.#words.some((text) => text.startsWith('/'));
    return path.length > 1 && this.#dirs.some((dir) => path.startsWith(dir) || dir.startsWith(path));
  }

  #isAbove(text: string, path: string): boolean {
    return path.startsWith(`${text}/`) || this.#dirs.some((dir) => dir.startsWith(`${text}/`));
  }

  /** At the start of a word or of a part of one: `main` in `HEAD:main` and in `refs/heads/main`. */
  #begins(piece: string): boolean {
    for (let at = this.#text.indexOf(piece, 1); at > 0; at = this.#text.indexOf(piece, at + 1))
      if (!/[a-z0-9]/.test(this.#text[at - 1] as string) || this.#isInOption(at)) return true;
    return false;
  }

  /** A value may be attached to a letter: `-nprod`. */
  #isInOption(at: number): boolean {
    return this.#text[this.#text.lastIndexOf(' ', at) + 1] === '-';
  }
}

const isReplaced = (text: string): boolean =>
  ELSEWHERE.test(text) || (/\s/.test(text) ? REPLACED_IN_PHRASE : REPLACED).test(text);

/** In small letters, with each path in its shortest form. */
const plainOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/(?<!:)\/(?:\.?\/)+/g, '/')
    .replace(/(^|[=:])(?:\.\/)+(?=.)/g, '$1');

/** Without what a program may leave out or add: the slash behind a folder; the scheme, user and port of an address, and with them its path. */
function shortest(piece: string): string {
  const host = /^(?:[a-z][a-z+.-]*:\/\/(?:[^/@]*@)?|[^/@:]+@(?=[^/:]+:)|(?=[\w-]+(?:\.[\w-]+)+[:/]))([^/:]*)/.exec(
    piece,
  )?.[1];
  return host ?? (piece.length > 1 ? piece.replace(/\/$/, '') : piece);
}
