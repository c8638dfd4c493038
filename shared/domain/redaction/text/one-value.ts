/**
 * Says whether a part of a text is one value to whatever runs the text.
 *
 * A mark may hide nothing else there.
 */

/** No blank, quote or operator of a shell, of SQL or of a script. */
const PLAIN = /^[^\s;&|()<>{},$`'"\\]*$/;
/** Behind any of these quotes may open and close elsewhere than they seem to: substitutions, comments, here-documents, escapes. */
const UNCLEAR = /`|\$[('"]|\$\{(?![A-Za-z0-9_]{1,80}\})|<<|(?:^|[\s;&|(])(?:#|--\s)|\/\*|(?<!:)\/\/|\\(?!\n)/;
/** Reads a quoted word once more, as commands: the quotes around several words are gone by then. */
const REREADS =
  /(?:^|[\s;&|(/])(?:(?:ssh|mosh|su|runuser|eval|trap|alias|watch|parallel)\s|(?:ba|da|z|k|a|fi|c|tc|pw)?sh\s{1,8}-)/;
/** Replaced, or ended early, between double quotes. */
const REPLACED = /[`\\]|\$[({]/;

/** One word between quotes of its own. */
const QUOTED = /^(?:'[^']*'|"[^"`\\$]*")$/;

/** Parts are asked in their order, so that the text is read once. */
export type IsOneValue = (start: number, end: number) => boolean;

/**
 * Tells whether a part of the text is one value to a shell. A single word is. Several words, or operators, are one value only between quotes that
 * open right before them: in `"--password "; reboot; x "y"` that quote closes, and a shell would run the words behind it.
 */
export function oneValuesOf(text: string): IsOneValue {
  const openQuote = quotesOf(text);
  let unclear: number | undefined;
  const json = new Map<number, number>();
  const jsonEnd = (open: number): number => {
    const known = json.get(open) ?? endOfJson(text, open);
    json.set(open, known);
    return known;
  };
  return (start, end) => {
    const secret = text.slice(start, end);
    const before = text[start - 1] ?? '';
    // `"password="+name+"x"`: the words of a script between two of its texts.
    const isBetween = /["']/.test(before) && /^[+.]/.test(secret);
    if (PLAIN.test(secret) && !isBetween) return true;
    unclear ??= firstOf(text.search(UNCLEAR), text.search(REREADS));
    if (unclear < start) return false;
    const open = openQuote(start);
    // `-p'a b'`: the quotes are a part of what was taken out.
    if (open < 0 && QUOTED.test(secret)) return true;
    const quote = text[open];
    if (quote === undefined || secret.includes(quote) || (quote === '"' && REPLACED.test(secret))) return false;
    // `'user:a;b'`: the rest of the quoted word is a word as well.
    if (text[end] === quote && PLAIN.test(text.slice(open + 1, start))) return true;
    if (before === "'" && text[end] === "'" && quote === '"') return isText(text.slice(open + 1, start), secret);
    // `'{"password":"a; b"}'`: quotes of JSON close where they seem to.
    return before === '"' && quote === "'" && !REPLACED.test(secret) && end <= jsonEnd(open);
  };
}

const firstOf = (...places: readonly number[]): number => Math.min(...places.filter((at) => at >= 0), Infinity);

/** `"ALTER USER a PASSWORD 'a;b'"`: a text of the statement, whose quote opens before it and is closed by none in it. */
const isText = (before: string, secret: string): boolean =>
  !secret.includes("'") && !before.includes('$') && before.split("'").length % 2 === 0;

export const isBareWord = (text: string): boolean => PLAIN.test(text);

/** Where the quote stands that is open at an index; -1 if none is. */
function quotesOf(text: string): (upTo: number) => number {
  let open = -1;
  let at = 0;
  return (upTo) => {
    for (; at < upTo; at++) {
      const letter = text[at];
      if (open >= 0 ? letter === text[open] : letter === '"' || letter === "'") open = open >= 0 ? -1 : at;
    }
    return open;
  };
}

/** The end of the JSON that stands between quotes; -1 if it is none. */
function endOfJson(text: string, open: number): number {
  const close = text.indexOf("'", open + 1);
  try {
    return typeof JSON.parse(text.slice(open + 1, close)) === 'object' ? close : -1;
  } catch {
    return -1;
  }
}
