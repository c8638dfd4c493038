/** Hands a text to the parser in pieces, and ends a parse that reads it over and over. */

const PIECE = 1024;
/** Texts of 10,000 characters take some twenty pieces. `<sh -c $` again and again took 30,000, and half a second. */
const MAX_PIECES = 1500;

/** Counts what the parser reads, and not the time: the same text has the same verdict on any machine. */
export class BoundedReader {
  readonly #text: string;
  #pieces = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param index in UTF-16 units, as the parser counts */
  readonly read = (index: number): string => {
    this.#pieces += 1;
    return this.#text.slice(index, index + PIECE);
  };

  readonly isUsedUp = (): boolean => this.#pieces > MAX_PIECES;
}
