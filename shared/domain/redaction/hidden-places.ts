/** Says whether a mark hides where a command goes: `X_TOKEN=‹…›; rm -rf /$X_TOKEN`. */
import { commandOf, nameIn, programOf } from './command-values.ts';
import { isSecretName } from './words/names.ts';
import { PLACE_TAKERS, RUNNERS } from './words/place-takers.ts';
import { SETTERS } from './words/setters.ts';

/** Options that say which thing a command is about: `--db-instance-identifier`, `--namespace`. */
const NAMES_THING =
  /(?:^|-)(?:arn|branch|bucket|cluster|database|dest(?:ination)?|dir(?:ectory)?|file|group|host(?:name)?|identifier|ids?|instance|names?|namespace|output|path|project|region|repo(?:sitory)?|root|server|table|target|url|zone)$/;
/** A statement of SQL goes on with the name of what it is about. */
const SQL_NAMES =
  /\b(?:database|from|index|into|join|schema|table|update|view)\s{1,8}(?:if\s{1,8}exists\s{1,8})?["`]?$/i;
/** `sed "s/x/$TOKEN/"`: the text that is put in; a secret with `/` counts as a place anyway. */
const SUBSTITUTES = /\bsed\s[^;&|\n]{0,200}["']?s\/[^/\s]{1,200}\/[^/\s]{0,200}$/;
const ADDRESS = /(?:^|[\s"'`=(<>])([a-z][a-z0-9+.-]{1,30}):\/\/([^\s'"`]*)$/i;

/** Whether a variable between these two parts of a text says where its command goes. In a value it does not. */
export function standsForPlace(before: string, after: string): boolean {
  const address = ADDRESS.exec(before);
  if (address) return hidesAddress(address[1] ?? '', address[2] ?? '', after);
  // `user/$PASSWORD@database` of a client has its password there.
  if (/(?:^|[^\\])\/$/.test(before) || /^[\\/]/.test(after)) return !SUBSTITUTES.test(before) && !after.startsWith('@');
  if (/[A-Za-z]:(?:\\[^\\\s]{0,60}){0,8}\\$/.test(before) || SQL_NAMES.test(before)) return true;
  const word = WORD.exec(before)?.[0] ?? '';
  const head = before.slice(0, before.length - word.length);
  if (isInQuotes(head)) return false;
  return /(?:^|[^<])<$|>[|&]?$/.test(head.trimEnd()) || isNameOfThing(head, word.replaceAll(/["']/g, ''));
}

/** The word that the variable stands in, up to it. */
const WORD = /[^\s;&|()<>]*$/;

/** `"Authorization: Bearer $TOKEN"`: a blank within quotes parts no words. */
const isInQuotes = (before: string): boolean => /["']/.test(before.replaceAll(/\\.|"[^"]*"|'[^']*'/g, '_'));

/** The host shows, or what stands before it is a credential; of a file or a bucket all of its path shows. */
function hidesAddress(scheme: string, begun: string, after: string): boolean {
  if (/[?#]/.test(begun)) return false;
  if (!begun.includes('/')) return !/^(?::(?:‹[^›]{0,80}›|[^\s/@]){0,200})?@/.test(after);
  return !/^(?:https?|wss?)$/i.test(scheme);
}

/** The value of an option that names something, or an operand of a program that changes what its operands name. */
function isNameOfThing(head: string, word: string): boolean {
  const joined = /^--([A-Za-z][A-Za-z0-9-]{1,60})=/.exec(word)?.[1];
  const apart = /(?:^|\s)--([A-Za-z][A-Za-z0-9-]{1,60})[ \t]{1,4}$/.exec(head)?.[1];
  const option = (joined ?? apart)?.toLowerCase();
  if (option !== undefined) return NAMES_THING.test(option) && !isSecretName(option);
  // `-var=…`, `NAME=…`: a value under a name.
  if (/^-|=/.test(word)) return false;
  const words = commandOf(head);
  const valued = PLACE_TAKERS.get(programOf(words));
  const last = words.at(-1) ?? '';
  if (valued === undefined || (/^-[A-Za-z]$/.test(last) && valued.includes(last.slice(1)))) return false;
  return !words.some((one) => SETTERS.has(one) || RUNNERS.has(nameIn(one)));
}
