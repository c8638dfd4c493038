/** Says of a mark whether it stands for a password in a statement of SQL, by the words around it. */

export const BEFORE_PASSWORD =
  'identified(?:\\s{1,8}with\\s{1,8}\\S{1,60})?\\s{1,8}(?:by|as)(?:\\s{1,8}password)?|(?:with|encrypted|set|(?:user|role|login)\\s{1,8}\\S{1,80})\\s{1,8}password(?:\\s{1,8}for\\s{1,8}\\S{1,80})?';
const ENDS_BEFORE = new RegExp(
  `\\b(?:${BEFORE_PASSWORD})\\s{0,8}=?\\s{0,8}(?:password\\s{0,4}\\()?\\s{0,4}N?['"]$`,
  'i',
);

/** Whether a mark between these stands for a password of a statement. */
export const isSqlPassword = (before: string, after: string): boolean =>
  /["']/.test(after) && (ENDS_BEFORE.test(before) || /\bvalues\s{0,8}\([^;]{0,500}[,(]\s{0,8}N?'$/i.test(before));
