/**
 * Whether people can judge a call although something in it was taken out: only if each mark stands for a value. What may be a command
 * word, a path or a host has to be seen (A20); then Approve is not offered.
 */
import { type Found, markersIn, UNSHOWN } from './marker.ts';
import { isSecretName } from './names.ts';

/** Fields whose texts run or say where: a mark in them has to stand at the place of a value. */
const RUNS = /^(?:command|cmd|commands|script|args|argv|arguments|code|query|sql|program|executable|shell|run)$/i;
const PLACES =
  /(?:^|_|[a-z](?=[PFDUHE]))(?:path|paths|file|files|filename|dir|directory|folder|cwd|url|uri|host|hostname|domain|endpoint|address|destination|target|to|bucket|repo|repository|remote)$/i;

/** `call`: already redacted. */
export function showsAll(call: {
  readonly toolName: string;
  readonly input: unknown;
  readonly cwd?: string | undefined;
}): boolean {
  return !markersIn(call.toolName).length && !markersIn(call.cwd ?? '').length && partShows(call.input, '');
}

function partShows(part: unknown, name: string): boolean {
  if (typeof part === 'string') return markersIn(part).every((mark) => isValue(part, mark, name));
  if (Array.isArray(part)) return part.every((item) => partShows(item, name));
  if (part === null || typeof part !== 'object') return true;
  return Object.entries(part).every(([key, item]) => !markersIn(key).length && partShows(item, key));
}

function isValue(text: string, { start, end, kind }: Found, name: string): boolean {
  if (kind.startsWith(UNSHOWN)) return false;
  if (kind === 'private key') return !PLACES.test(name);
  const before = text.slice(Math.max(0, start - 600), start);
  const after = text.slice(end, end + 1);
  if (isSecretName(name)) return true;
  if (/:\/\/[^\s'"`]*$/.test(before)) return inAddress(before, after);
  if (PLACES.test(name)) return false;
  return RUNS.test(name) ? inCommand(before, after) : true;
}

/** Of an address only the credentials and the values of its query may be hidden. */
function inAddress(before: string, after: string): boolean {
  const address = before.slice(before.lastIndexOf('://') + 3);
  if (!/[/?#]/.test(address)) return after === '@';
  return /[?&#][^?&#=\s]{1,100}=$/.test(address) && ENDS.test(after);
}

const ENDS = /^(?:$|[\s"'`&#;,)}\]|<>\\])/;

/** After `NAME=`, `name: `, `"name": "`, `--name `, `Name: Scheme `, or as the password of `-u name:password`. */
function inCommand(before: string, after: string): boolean {
  if (!ENDS.test(after)) return false;
  return (
    /[A-Za-z0-9_.\]-]["']?(?:=|=>)[ \t]{0,4}["']?$/.test(before) ||
    /[A-Za-z0-9_-]["']?:[ \t]{1,4}["']?(?:[A-Za-z0-9-]{1,20}[ \t]{1,4})?$/.test(before) ||
    /["']:["']$/.test(before) ||
    isSecretName(/([A-Za-z0-9_-]{1,64}):["']?$/.exec(before)?.[1] ?? '') ||
    /(?:^|\s)-{1,2}[A-Za-z][A-Za-z0-9-]{0,60}[ \t]{1,4}["']?$/.test(before) ||
    /(?:^|\s)(?:-u|--user|--proxy-user)[ =]["']?[^\s:"']{1,128}:$/.test(before)
  );
}
