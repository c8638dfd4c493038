/** Says of a mark whether it stands for a password in a statement of SQL, by the words around it. */
import { isSecretName } from '../tables/names.ts';

export const BEFORE_PASSWORD =
  'identified(?:\\s{1,8}with\\s{1,8}\\S{1,60})?\\s{1,8}(?:by|as)(?:\\s{1,8}password)?|(?:with|encrypted|set|login|superuser|createdb|replication|inherit|(?:user|role|login)\\s{1,8}\\S{1,80})\\s{1,8}password(?:\\s{1,8}for\\s{1,8}\\S{1,80})?';
const ENDS_BEFORE = new RegExp(
  `\\b(?:${BEFORE_PASSWORD})\\s{0,8}=?\\s{0,8}(?:password\\s{0,4}\\()?\\s{0,4}N?['"]$`,
  'i',
);

const COLUMN =
  /(?:\b(?:set|where|and|or|on)\s{1,8}|[,(]\s{0,8})(?:[A-Za-z0-9_"`]{1,64}\.)?["`[]?([A-Za-z_][A-Za-z0-9_]{0,63})["`\]]?\s{0,8}=\s{0,8}N?'$/i;
const ROW = /\bvalues\s{0,8}\([^;]{0,500}[,(]\s{0,8}N?'$/i;
const BARE = /\b(?:user|role|to)\s{1,8}[^\s;]{1,80}\s{1,8}identified\s{1,8}by\s{1,8}$/i;

/** Whether a mark between these stands for a password of a statement. */
export const isSqlPassword = (before: string, after: string): boolean =>
  BARE.test(before) || (/["']/.test(after) && (ENDS_BEFORE.test(before) || ROW.test(before) || isColumn(before)));

const isColumn = (before: string): boolean => isSecretName(COLUMN.exec(before.slice(-100))?.[1] ?? '');
