/** Finds passwords in statements of SQL: `IDENTIFIED BY '…'`, and in rows that are inserted. */
import { BEFORE_PASSWORD } from '../readers/sql-words.ts';
import { isNoSecret } from '../readers/values.ts';
import { isSecretName } from '../tables/names.ts';
import { kindOfName, type SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

/** Built once, from the words above and from no input. */
const PASSWORD = new RegExp(
  `\\b(?:${BEFORE_PASSWORD})\\s{0,8}=?\\s{0,8}(?:password\\s{0,4}\\()?\\s{0,4}N?(['"])((?:[^'"\\n$\`]|\\$(?![({])){3,262144})\\1`,
  'gi',
);
/** `SET password = '…'`, `WHERE token = '…'`. */
const COLUMN =
  /(?<![A-Za-z0-9_.-])["`[]?([A-Za-z_][A-Za-z0-9_.]{0,63})["`\]]?\s{0,8}=\s{0,8}N?'((?:[^'"\n$`]|\$(?![({])){3,262144})'/g;
/** `IDENTIFIED BY secret`, as Oracle takes it. */
const BARE =
  /\b(?:user|role|to)\s{1,8}[^\s;]{1,80}\s{1,8}identified\s{1,8}by\s{1,8}(?!password\b|values\b|externally\b)([A-Za-z0-9_#$!]{3,128})(?=[\s;"']|$)/gi;
const INSERT = /\binto\s{1,8}[^\s(]{1,200}\s{0,8}\(([^()]{1,2000})\)\s{0,8}values\s{0,8}(?=\()/gi;
/** One value of a row, and what follows it: texts, numbers and calls without a bracket of their own. */
const ROW_VALUE = /\s{0,8}(?:N?'((?:[^'\\\n]|''){0,4096})'|[^\s'"(),;]{0,200}(?:\([^()'"]{0,200}\))?)\s{0,8}([,)])/y;
const NEXT_ROW = /\s{0,8},?\s{0,8}\(/y;

/** `kind`: of a program's own word, whatever the column is called. */
export const sqlPasswords = (text: string, kind?: string): SecretSpan[] => [
  ...matchesOf(text, PASSWORD).flatMap(({ 0: all, 2: value = '', index }) => {
    const end = index + all.length - 1;
    return isNoSecret(value) ? [] : [{ start: end - value.length, end, kind: kind ?? PASSWORD_KIND }];
  }),
  ...matchesOf(text, COLUMN).flatMap(({ 0: all, 1: name = '', 2: value = '', index }) => {
    const end = index + all.length - 1;
    return isSecretName(name) && !isNoSecret(value)
      ? [{ start: end - value.length, end, kind: kind ?? kindOfName(name) }]
      : [];
  }),
  ...matchesOf(text, BARE).flatMap(({ 0: all, 1: value = '', index }) => {
    const end = index + all.length;
    return isNoSecret(value) ? [] : [{ start: end - value.length, end, kind: kind ?? PASSWORD_KIND }];
  }),
  ...inserted(text).map((one) => (kind === undefined ? one : { ...one, kind })),
];

const PASSWORD_KIND = kindOfName('password');

/** Values of rows whose columns have the name of a secret. */
function inserted(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let at = 0;
  for (const { 0: all, 1: columns = '', index } of matchesOf(text, INSERT)) {
    // A statement within a value is part of that value, and no row is read twice.
    if (index < at) continue;
    const names = columns.split(',').map((name) => name.trim().replaceAll(/["`[\]]/g, ''));
    if (!names.some((name) => isSecretName(name))) continue;
    at = index + all.length;
    for (let isWhole = true; isWhole; ) {
      const row = rowOf(text, at, names);
      spans.push(...row.spans);
      ({ end: at, isWhole } = row);
    }
  }
  return spans;
}

interface Row {
  readonly spans: readonly SecretSpan[];
  readonly end: number;
  /** Whether it ends with its bracket, so that another row may follow. */
  readonly isWhole: boolean;
}

function rowOf(text: string, from: number, names: readonly string[]): Row {
  const spans: SecretSpan[] = [];
  NEXT_ROW.lastIndex = from;
  if (!NEXT_ROW.test(text)) return { spans, end: from, isWhole: false };
  ROW_VALUE.lastIndex = NEXT_ROW.lastIndex;
  for (const name of names) {
    const start = ROW_VALUE.lastIndex;
    const [, value, next] = ROW_VALUE.exec(text) ?? [];
    if (next === undefined) return { spans, end: start, isWhole: false };
    const end = text.lastIndexOf("'", ROW_VALUE.lastIndex - 1);
    if (value !== undefined && value.length > 2 && isSecretName(name) && !isNoSecret(value))
      spans.push({ start: end - value.length, end, kind: kindOfName(name) });
    if (next === ')') return { spans, end: ROW_VALUE.lastIndex, isWhole: true };
  }
  return { spans, end: ROW_VALUE.lastIndex, isWhole: false };
}
