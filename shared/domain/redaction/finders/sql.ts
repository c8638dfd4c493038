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
  /(?<![A-Za-z0-9_.-])["`[]?([A-Za-z_][A-Za-z0-9_.]{0,254})["`\]]?\s{0,8}=\s{0,8}N?'((?:[^'"\n$`]|\$(?![({])){3,262144})'/g;
/** `IDENTIFIED BY secret`, as Oracle takes it. */
const BARE =
  /\b(?:user|role|to)\s{1,8}[^\s;]{1,80}\s{1,8}identified\s{1,8}by\s{1,8}(?!password\b|values\b|externally\b)([A-Za-z0-9_#$!]{3,262144})(?=[\s;"']|$)/gi;
const INSERT = /\binto\s{1,8}[^\s(]{1,200}\s{0,8}\(([^()]{1,2000})\)\s{0,8}values\s{0,8}(?=\()/gi;
/** A value of a row is read no further, as other values of a secret name. */
const MAX_VALUE = 262_144;
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
  let { lastIndex: at } = NEXT_ROW;
  // A row may have more values than columns are named.
  for (let column = 0; ; column++) {
    const { quoted, end, next } = rowValue(text, at);
    const name = names[column] ?? '';
    for (const { start, end: behind } of isSecretName(name) ? quoted : [])
      if (behind - start > 2 && !isNoSecret(text.slice(start, behind)))
        spans.push({ start, end: behind, kind: kindOfName(name) });
    if (next !== ',') return { spans, end, isWhole: next === ')' };
    at = end;
  }
}

interface RowValue {
  /** The texts within it, of a call too. */
  readonly quoted: readonly Pick<SecretSpan, 'start' | 'end'>[];
  readonly end: number;
  /** The sign behind it. */
  readonly next: string | undefined;
}

function rowValue(text: string, from: number): RowValue {
  const quoted: Pick<SecretSpan, 'start' | 'end'>[] = [];
  let depth = 0;
  const last = Math.min(text.length, from + MAX_VALUE);
  for (let at = from; at < last; at++) {
    const char = text[at] as string;
    if (char === "'" || char === '"') {
      const end = endOfText(text, at + 1, last, char);
      // A statement between double quotes of a shell has its own quotes behind backslashes.
      const isEscaped = text[at - 1] === '\\' && text[end - 1] === '\\';
      quoted.push({ start: at + 1, end: isEscaped ? end - 1 : end });
      at = end;
    } else if (depth === 0 && ',);'.includes(char)) {
      return { quoted, end: at + 1, next: char };
    } else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
  }
  return { quoted, end: last, next: undefined };
}

/** MySQL escapes a quote with a backslash, others with a second quote; before the end of a value a backslash is one of its characters. */
function endOfText(text: string, from: number, last: number, quote: string): number {
  for (let at = from; at < last; at++) {
    if (text[at] === '\\' && !(text[at + 1] === quote && /^\s{0,8}[,)]/.test(text.slice(at + 2, at + 11)))) at += 1;
    else if (text[at] === quote && text[at + 1] === quote) at += 1;
    else if (text[at] === quote) return at;
  }
  return last;
}
