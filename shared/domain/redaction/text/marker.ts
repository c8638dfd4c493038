/** Puts a mark where a secret was, which says what it was and whether it may have hidden a place. */
import { matchesOf } from './matches.ts';
import { type IsOneValue, isBareWord, oneValuesOf } from './one-value.ts';

/** A part of a text that must not be kept or shown. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** Kind of the secret, in words for people: `github`, `password`, `private key`. */
  readonly kind: string;
}

const OPEN = '‹redacted: ';
const CLOSE = '›';
/** Prefix of marks for values that may be a path or a host: they do not count as shown. */
export const UNSHOWN = 'path or host as ';
/** Prefix of marks for more than one value: in a text that runs they may hide a command. */
export const SEVERAL = 'several words as ';

const KIND = /[^a-z0-9 _-]/g;

/** False: the text holds no mark. Cheaper than to find them. */
export const mayHoldMark = (text: string): boolean => text.includes(OPEN);

export const markerOf = (kind: string): string =>
  `${OPEN}${kind.toLowerCase().replaceAll(KIND, ' ').slice(0, 60)}${CLOSE}`;

/** A kind that a name in a message gives: without blanks, so that it is none of the gate's own kinds. */
export const kindOfName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '-');

/** The gate's own word for a whole key between its lines; see `keys.ts`. */
export const PRIVATE_KEY = 'private key';

/** The kind of a webhook's secret, which a card may show as the last part of a path. */
export const WEBHOOK_KIND = 'webhook';

/** The kind of a secret as its mark states it: what may be a path or a host says so, whatever told that it is a secret. */
export const shownKind = (secret: string, kind: string): string =>
  kind !== PRIVATE_KEY && !kind.startsWith(UNSHOWN) && mayBeLocation(secret) ? `${UNSHOWN}${kind}` : kind;

/** As `shownKind`, of a part of a text. */
function shownKindIn(text: string, { start, end, kind }: SecretSpan, isOneValue: IsOneValue): string {
  const shown = shownKind(text.slice(start, end), kind);
  if (shown.startsWith(UNSHOWN) || shown === PRIVATE_KEY || (kind === LIKE_A_MARK && end - start <= MAX_LIKE))
    return shown;
  return isOneValue(start, end) ? shown : `${SEVERAL}${shown}`;
}

/** The kind of a secret that stands again elsewhere, where nothing says how it is read. */
export const repeatedKind = (secret: string): string => (isBareWord(secret) ? 'repeated' : `${SEVERAL}repeated`);

function mayBeLocation(text: string): boolean {
  if (/[\\/]|\.\./.test(text)) return !isOpaque(text);
  return text.startsWith('~') || HOST.test(text);
}

const HOST = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?$/i;

/** Base64 as keys and credentials are written in it. As a path it would be relative and could not climb. */
const isOpaque = (text: string): boolean =>
  /^[A-Za-z0-9+][A-Za-z0-9+/]{18,}={0,2}$/.test(text) &&
  !text.includes('//') &&
  /[a-z]/.test(text) &&
  /[A-Z]/.test(text) &&
  /[0-9]/.test(text);

const MARKER = /‹redacted: ([a-z0-9 _-]{1,60})›/g;

/** The marks in a text that was redacted. */
export function markersIn(text: string): readonly SecretSpan[] {
  return matchesOf(text, MARKER).map(({ 0: all, 1: kind = '', index }) => ({
    start: index,
    end: index + all.length,
    kind,
  }));
}

/** The same text with each mark as one that may hide a place. */
export const asUnshown = (text: string): string =>
  text.replaceAll(MARKER, (mark, kind: string) => (kind.startsWith(UNSHOWN) ? mark : markerOf(`${UNSHOWN}${kind}`)));

/** The opening of a mark in any brackets of that form, with or without blanks; the text is folded, so that its letters are plain. */
const LOOK_ALIKE = /[‹<]{1,2}[ \t]{0,8}redacted(?:[ \t]{0,8}[:;=-]|[ \t]{0,8}[›>])/gi;

const LIKE_A_MARK = 'text like a mark';
/** The opening of a mark is no longer than this. */
const MAX_LIKE = 32;

/** Text that only looks like a mark is taken out like a secret: a mark that people see always stands for something that was taken out. */
export const lookAlikes = (text: string): SecretSpan[] =>
  matchesOf(text, LOOK_ALIKE).map(({ 0: all, index }) => ({
    start: index,
    end: index + all.length,
    kind: LIKE_A_MARK,
  }));

/** Puts marks in place of what was found; overlapping parts become one, called by the first. */
export function marked(
  text: string,
  found: readonly SecretSpan[],
): { readonly text: string; readonly secrets: readonly string[] } {
  let out = '';
  let upTo = 0;
  const isOneValue = oneValuesOf(text);
  const secrets: string[] = [];
  for (const one of merged(found)) {
    out += text.slice(upTo, one.start) + markerOf(shownKindIn(text, one, isOneValue));
    secrets.push(text.slice(one.start, one.end));
    upTo = one.end;
  }
  return { text: out + text.slice(upTo), secrets };
}

function merged(found: readonly SecretSpan[]): SecretSpan[] {
  const result: SecretSpan[] = [];
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last && one.start < last.end) result[result.length - 1] = joined(last, one);
    else if (one.end > one.start) result.push(one);
  }
  return result;
}

/** A key that something else goes on from is no mere key any more. */
function joined(first: SecretSpan, second: SecretSpan): SecretSpan {
  if (second.end <= first.end) return first;
  const kind = first.kind === PRIVATE_KEY ? `${UNSHOWN}${PRIVATE_KEY}` : first.kind;
  return { ...first, kind, end: second.end };
}

/** Longer than any mark. */
const MAX_MARK = 120;

/**
 * The text up to so many characters, without a part of a mark at its end. A mark may be longer than its secret, and a row that holds a longer text than
 * its field may cannot be read again.
 */
export function cutMarked(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - 1);
  const open = kept.lastIndexOf(OPEN.charAt(0));
  const isPart = open > kept.lastIndexOf(CLOSE) && open > kept.length - MAX_MARK;
  const whole = isPart ? kept.slice(0, open) : kept;
  // Half a character would be a sign of its own.
  return `${whole.replace(/[\ud800-\udbff]$/, '')}…`.toWellFormed();
}
