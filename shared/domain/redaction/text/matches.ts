/** Finds all matches of a pattern in a text. */
/** As `matchAll` gives them. Most texts hold none, and `matchAll` makes a copy of the pattern for each text. */
export const matchesOf = (text: string, pattern: RegExp): RegExpExecArray[] =>
  text.search(pattern) < 0 ? [] : [...text.matchAll(pattern)];
