/** Reads small languages within arguments: only scripts that just transform text are harmless. */

const DIGITS = '0123456789';

class SedReader {
  readonly #text: string;
  /** Whether a delimiter within `[…]` is a plain character: implementations differ. */
  readonly classes: boolean;
  #at = 0;
  constructor(text: string, classes: boolean) {
    this.#text = text;
    this.classes = classes;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(characters: string): void {
    while (!this.done && characters.includes(this.#text[this.#at] as string)) this.#at++;
  }

  take(): string {
    return this.#text[this.#at++] ?? '';
  }

  peek(): string {
    return this.#text[this.#at] ?? '';
  }

  /** Past the next unescaped delimiter; false if there is none. `pattern`: brackets mean a class in it. */
  past(delimiter: string, pattern: boolean): boolean {
    while (!this.done) {
      const char = this.take();
      if (char === '\\') this.take();
      else if (char === '\n') return false;
      else if (char === delimiter) return true;
      else if (char === '[' && pattern && this.classes) this.#pastClass();
    }
    return false;
  }

  /** Past `]`, which is plain right behind `[` or `[^`, and within `[:…:]`. */
  #pastClass(): void {
    if (this.peek() === '^') this.take();
    if (this.peek() === ']') this.take();
    while (!this.done && this.peek() !== ']') {
      const char = this.take();
      const kind = this.peek();
      if (char !== '[' || !':.='.includes(kind)) continue;
      const end = this.#text.indexOf(`${kind}]`, this.#at + 1);
      if (end >= 0) this.#at = end + 2;
    }
    this.take();
  }

  /** The text of `a`, `i` and `c`: to the end of the line, a backslash taking the next character, a newline too. */
  pastText(): void {
    while (!this.done && this.peek() !== '\n') if (this.take() === '\\') this.take();
  }

  /** The script is malformed in this reading: nothing of it runs. */
  refuse(): void {
    this.#at = this.#text.length;
  }

  restOfLine(): void {
    while (!this.done && this.peek() !== '\n') this.take();
  }
}

function sedAddress(reader: SedReader): boolean {
  const char = reader.peek();
  if (char === '$') {
    reader.take();
  } else if (char === '/' || char === '\\') {
    reader.take();
    const delimiter = char === '/' ? '/' : reader.take();
    if (!reader.past(delimiter, true)) return false;
    reader.skip('IM');
  } else {
    reader.skip(`${DIGITS}~`);
  }
  return true;
}

/** Neither a flag of any implementation nor what may follow the flags. */
function isNoFlag(char: string): boolean {
  return char !== '' && '/]*$^\\.[|'.includes(char);
}

function sedCommand(reader: SedReader): boolean {
  const command = reader.take();
  switch (command) {
    case '}':
    case ';':
    case '\n':
      return true;
    case '#':
      reader.restOfLine();
      return true;
    case 's': {
      const delimiter = reader.take();
      if (!reader.past(delimiter, true) || !reader.past(delimiter, false)) return false;
      // `e` runs the result, `w` writes it: neither is among the flags.
      reader.skip(`gpIiMm${DIGITS}`);
      // `s/[^/]*$//`: whoever takes the first slash for the end refuses the whole script, and runs nothing.
      if (!reader.classes && isNoFlag(reader.peek())) reader.refuse();
      return true;
    }
    case 'y': {
      const delimiter = reader.take();
      return reader.past(delimiter, true) && reader.past(delimiter, false);
    }
    case 'a':
    case 'i':
    case 'c':
      reader.pastText();
      return true;
    case 'b':
    case 't':
    case 'T':
    case ':':
      // A label ends at a blank, too: what follows is a command.
      reader.skip(' \t');
      while (!reader.done && !' \t;\n}'.includes(reader.peek())) reader.take();
      return true;
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      reader.skip(` ${DIGITS}`);
      return true;
    default:
      // An address without a command is none that sed would run.
      return 'pPdDnNgGhHxz='.includes(command);
  }
}

/** No `e`, `w`, `r`, `R`, `W`, nor their flags, in either reading of a delimiter within `[…]`; what is not read is not harmless. */
export function isHarmlessSed(script: string): boolean {
  return isHarmlessRead(new SedReader(script, true)) && isHarmlessRead(new SedReader(script, false));
}

function isHarmlessRead(reader: SedReader): boolean {
  while (!reader.done) {
    reader.skip(' \t;\n');
    if (!sedAddress(reader)) return false;
    reader.skip(' ');
    if (reader.peek() === ',') {
      reader.take();
      reader.skip(' +');
      if (!sedAddress(reader)) return false;
    }
    reader.skip(' \t!');
    if (reader.peek() === '{') {
      reader.take();
      continue;
    }
    if (!sedCommand(reader)) return false;
    reader.skip(' \t');
    if (!reader.done && !';\n}'.includes(reader.peek())) return false;
  }
  return true;
}

/** `r`, `R`, `w` and `W` take the rest of their line. */
export function sedFiles(script: string): readonly string[] {
  return script
    .split('\n')
    .flatMap((line) => Array.from(line.matchAll(/[rw]/gi), ({ index }) => line.slice(index + 1).trim()));
}

function isWordCharacter(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || (char >= '0' && char <= '9') || char === '_';
}

const JQ_WORDS = [
  'env',
  'ENV',
  'import',
  'include',
  'input_filename',
  'get_search_list',
  'modulemeta',
  'halt_error',
  '$__loc__',
] as const;
const YQ_PARTS = ['env', 'ENV', 'load', 'eval', 'system', 'import', 'include', 'modulemeta'] as const;

/** `.env` is a field of that name, and `env` the environment. */
function holdsWordOfItsOwn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isWordCharacter(text[at - 1] ?? '') || isWordCharacter(text[at + word.length] ?? '')) continue;
    if (text[at - 1] !== '.' || text[at - 2] === '.') return true;
  }
  return false;
}

/** A string is data: `.["env"]`. Code may stand in one, and a comment may hold a quote: then all of the text counts. */
function withoutStrings(script: string): string {
  if (script.includes('\\(')) return script;
  const plain = script.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  return plain.includes('#') ? script : plain;
}

const holdsAny = (script: string, words: readonly string[]): boolean => {
  const code = withoutStrings(script);
  return words.some((word) => holdsWordOfItsOwn(code, word));
};

/** No environment, modules or files. */
export const isHarmlessJq = (script: string): boolean => !holdsAny(script, JQ_WORDS);

/** Only a module is a file to jq, whatever else its filter says. */
export const namesNoModule = (script: string): boolean => !holdsAny(script, ['import', 'include']);

/** yq reads `.a andload("f")` as `.a and load("f")`: letters are no word of it only in a path, as in `.payload`. */
function isHeldBeyondPaths(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    let start = at;
    while (isWordCharacter(text[start - 1] ?? '')) start--;
    if (text[start - 1] !== '.' || text[start - 2] === '.') return true;
  }
  return false;
}

export function isHarmlessYq(script: string): boolean {
  return !YQ_PARTS.some((part) => isHeldBeyondPaths(script, part));
}
