/** Says of a mark whether it ends a word of a program, with or without quotes. */
import { commandOf, openQuoteIn, programRun } from '../readers/command-words.ts';
import { ARGUMENT, ENDS } from './command-values.ts';

/** Whether a command's value ends here; in `scott/‹…›@orcl` a name follows it. */
export const endsArgument = (before: string, after: string): boolean =>
  ENDS.test(after) || (after === '@' && /[\w$#.-]\/"?$/.test(before));

/** The same in quotes of the shell: `"sys/‹…›@orcl as sysdba"`. */
export const isLogon = (before: string, after: string): boolean =>
  /["'][\w$#.-]{1,128}\/"?$/.test(before) && /["'@ ]/.test(after);

/** Whether the text ends within a quoted word of that program: a statement of SQL, with blanks and brackets. `before`: all of the text. */
export function isInWordOf(before: string, program: string): boolean {
  const open = openQuoteIn(before);
  return open >= 0 && programRun(commandOf(before.slice(0, open))) === program;
}

/** Whether the mark ends such a word, behind nothing but the beginning of a value: `--body "‹…›"`, `--from-literal="name=‹…›"`. */
export function endsQuoted(text: string, start: number, end: number): boolean {
  const open = openQuoteIn(text.slice(0, start));
  const isValue = open >= 0 && /^[\w.:%=,@>-]{0,80}$/.test(text.slice(open + 1, start));
  return isValue && text[end] === text[open] && ENDS.test(text[end + 1] ?? '');
}

/** `-p‹…›` of a program, and `me:‹…›` behind `-u`. */
export const startsValue = (begun: string, kind: string, last: unknown): boolean =>
  (kind.startsWith(ARGUMENT) && /^-{1,2}[A-Za-z][A-Za-z0-9-]{0,60}=?$/.test(begun)) ||
  (/^(?:-u|--user|--proxy-user)$/.test(String(last)) && /^[^\s:"'/]{1,128}:$/.test(begun));
