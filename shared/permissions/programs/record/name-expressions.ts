/** Reads regular expressions over names of files as globs. */

/** `^\.e.v$` finds what the glob `.e?v` finds. `any`: the sign for a dot, which is mostly meant as one: `^.env$`. */
const globWith = (text: string, any: '?' | '.'): string =>
  text
    .replaceAll(
      /\\(.)|\[(.)\]|\.[*+]|[.^$]/g,
      (sign, escaped, single) => escaped ?? single ?? (sign === '.' ? any : sign.length > 1 ? '*' : ''),
    )
    .replace(/^\*\//, '');

/** The globs that find what the expression finds. */
export const globsOfExpression = (text: string): readonly string[] => [globWith(text, '?'), globWith(text, '.')];

/** The names that the expression of `fd` finds. Without a sign the word may as well be the name of a folder. */
export const namesInExpression = (text: string): readonly string[] =>
  /[\\^$]/.test(text) && /\w/.test(text) ? globsOfExpression(text) : [];
