/** Finds private keys between their lines, and tells those that hold anything but a key. */
import { PRIVATE_KEY, type SecretSpan, UNSHOWN } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

/** PuTTY's own form. */
const PUTTY = /(?<=^Private-Lines: [0-9]{1,3}\r?\n)(?:[A-Za-z0-9+/]{1,64}={0,2}(?:\r?\n|$))+/gm;
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const HEADER = /^(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): [A-Za-z0-9 ,.()-]{0,100}$/;
/** A line of a key is this long at least; only its last one may be shorter. */
const MIN_LINE = 24;
const LINE_END = /\r?\n|\\r\\n|\\n/;

/** From the first line to the last; one that is cut off reaches to the end of the text. */
export function privateKeys(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  BEGIN.lastIndex = 0;
  for (let match = BEGIN.exec(text); match; match = BEGIN.exec(text)) {
    const from = BEGIN.lastIndex;
    const last = text.indexOf('-----END ', from);
    const close = last < 0 ? -1 : text.indexOf('-----', last + 9);
    const end = close < 0 ? text.length : close + 5;
    const isKey =
      close >= 0 && holdsOnlyKey(text.slice(from, last)) && /^[A-Z0-9 ]{0,60}$/.test(text.slice(last + 9, close));
    spans.push({ start: match.index, end, kind: isKey ? PRIVATE_KEY : `${UNSHOWN}${PRIVATE_KEY}` });
    BEGIN.lastIndex = end;
  }
  for (const { 0: lines, index } of matchesOf(text, PUTTY))
    spans.push({ start: index, end: index + lines.trimEnd().length, kind: PRIVATE_KEY });
  return spans;
}

/** Commands could stand between the two lines as well: then people have not seen what would run. */
function holdsOnlyKey(body: string): boolean {
  const lines = body.split(LINE_END).filter((line) => line !== '' && !HEADER.test(line));
  return lines.every(
    (line, at) =>
      /^[A-Za-z0-9+/]{1,400}={0,2}$/.test(line) && (line.length >= MIN_LINE || (at > 0 && at === lines.length - 1)),
  );
}
