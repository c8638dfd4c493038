/** Finds passwords in statements of SQL: `IDENTIFIED BY '…'`, `ALTER USER app WITH PASSWORD '…'`. */
import { type Found, kindOfName } from './marker.ts';
import { isNoSecret } from './values.ts';

const BEFORE =
  'identified(?:\\s{1,8}with\\s{1,8}\\S{1,60})?\\s{1,8}(?:by|as)(?:\\s{1,8}password)?|(?:with|encrypted|set|(?:user|role|login)\\s{1,8}\\S{1,80})\\s{1,8}password(?:\\s{1,8}for\\s{1,8}\\S{1,80})?';
/** Built once, from the words above and from no input. */
const PASSWORD = new RegExp(`\\b(?:${BEFORE})\\s{0,8}=?\\s{0,8}N?'([^'\\n$\`]{3,512})'`, 'gi');
const ENDS_BEFORE = new RegExp(`\\b(?:${BEFORE})\\s{0,8}=?\\s{0,8}N?'$`, 'i');

export const sqlPasswords = (text: string, kind = kindOfName('password')): Found[] =>
  [...text.matchAll(PASSWORD)].flatMap(({ 0: all, 1: value = '', index }) => {
    const end = index + all.length - 1;
    return isNoSecret(value) ? [] : [{ start: end - value.length, end, kind }];
  });

/** Whether a mark between these stands for a password of a statement. */
export const isSqlPassword = (before: string, after: string): boolean => after === "'" && ENDS_BEFORE.test(before);
