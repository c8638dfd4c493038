/** Writes what a reader found in a shell text as facts that two readers can be compared by. */

/** Stands for an expansion within the text of a word: what it makes is not compared. */
export const EXPANSION = '\u0000';

/** Where a word, substitution or construct stands. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A word with its text after quote removal, where its source is more than plain characters. */
export interface ReadWord extends Span {
  readonly content?: string | undefined;
}

/** Letters, digits and characters that no reader takes for a quote, an expansion or a glob. */
export function isPlainSource(text: string, { start, end }: Span): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const isPlain =
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x2b && code <= 0x3a) ||
      code === 0x5f ||
      code === 0x3d ||
      code === 0x40 ||
      code === 0x25;
    if (!isPlain) return false;
  }
  return true;
}

export function spanFact(kind: string, { start, end }: Span): string {
  return `${kind} ${start}-${end}`;
}

/** One fact for one list of words: the words of a command, of an assignment, of a loop. */
export function wordsFact(kind: string, words: readonly ReadWord[]): string {
  let fact = kind;
  for (const { start, end, content } of words)
    fact += content === undefined ? ` ${start}-${end}` : ` ${start}-${end}${JSON.stringify(content)}`;
  return fact;
}

/** A redirection; `descriptor` is its source text (`2`, `{fd}`), `operator` without a final `-`. */
export function redirectFact(at: number, descriptor: string, operator: string, target: ReadWord | undefined): string {
  return wordsFact(`redirect ${at} ${descriptor} ${operator}`, target === undefined ? [] : [target]);
}
