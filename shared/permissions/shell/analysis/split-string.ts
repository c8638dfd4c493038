/** Splits the text of `env -S` into words as GNU env does: its quotes and escapes are not a shell's. */
import { type Field, fieldOf } from '../syntax/fields.ts';
import type { Atom } from '../syntax/word.ts';

const BLANKS = ' \t\n\v\f\r';
/** Signs that a backslash makes of letters; of any other sign it makes that sign. */
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);
const VARIABLE = /^\$\{(\w+)\}/;

export function splitString(text: string): readonly Field[] {
  const splitting = new Splitting(text);
  splitting.run();
  return splitting.words;
}

class Splitting {
  readonly words: Field[] = [];
  readonly #text: string;
  #at = 0;
  #quote: string | undefined;
  #word: Atom[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    while (this.#at < this.#text.length && this.#takes(this.#text[this.#at] as string)) this.#at += 1;
    this.#end();
  }

  /** Takes the sign that stands here; false where the rest is a comment or left out (`\c`). */
  #takes(char: string): boolean {
    if (char === this.#quote) this.#quote = undefined;
    else if (char === '\\') return this.#escape(this.#text[this.#at + 1] ?? '\\');
    else if (this.#quote === "'") this.#add(char);
    else if (this.#quote === undefined && (char === "'" || char === '"')) this.#open(char);
    else if (this.#quote === undefined && BLANKS.includes(char)) this.#end();
    else if (this.#quote === undefined && char === '#' && this.#word === undefined) return false;
    else if (char === '$') this.#variable();
    else this.#add(char);
    return true;
  }

  #escape(next: string): boolean {
    if (this.#quote === "'" && next !== "'" && next !== '\\') {
      this.#add('\\');
      return true;
    }
    this.#at += 1;
    if (next === 'c') return false;
    if (next === '_' && this.#quote === undefined) this.#end();
    else this.#add(next === '_' ? ' ' : (ESCAPED.get(next) ?? next));
    return true;
  }

  #open(quote: string): void {
    this.#quote = quote;
    this.#word ??= [];
  }

  #variable(): void {
    const [whole, name] = VARIABLE.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined || name === undefined) {
      this.#add('$');
      return;
    }
    this.#word ??= [];
    this.#word.push({ kind: 'var', name, quoted: true });
    this.#at += whole.length - 1;
  }

  #add(char: string): void {
    this.#word ??= [];
    this.#word.push({ kind: 'char', char, quoted: true });
  }

  #end(): void {
    if (this.#word !== undefined) this.words.push(fieldOf(this.#word));
    this.#word = undefined;
  }
}
