/** Reads regular expressions over names of files as globs. */

/** `^\.e.v$` finds what the glob `.e?v` finds. */
export const globOfExpression = (text: string): string =>
  text
    .replaceAll(
      /\\(.)|\[(.)\]|\.[*+]|[.^$]/g,
      (sign, escaped, single) => escaped ?? single ?? (sign === '.' ? '?' : sign.length > 1 ? '*' : ''),
    )
    .replace(/^\*\//, '');

/** The names that the expression of `fd` finds. Without a sign the word may as well be the name of a folder. */
export const namesInExpression = (text: string): readonly string[] =>
  /[\\^$]/.test(text) && /\w/.test(text) ? [globOfExpression(text)] : [];
