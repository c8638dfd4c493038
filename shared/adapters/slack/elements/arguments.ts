/** Turns the arguments of a call into readable texts: every character is shown, none takes effect. */
import type { ToolCall } from '../../../contract/index.ts';
import { canonicalJson, sha256Hex } from '../../../domain/digest.ts';
import { subjectFields } from '../../../domain/proposal/call-name.ts';
import { AGENTS_WORDS } from '../../../domain/proposal/plain-fields.ts';
import { CARD } from '../texts/card.ts';
import { visible, visibleJson } from './text.ts';

/** A part of the arguments with its name, or all of them as JSON. */
export interface Shown {
  readonly name?: string;
  /** The text as people see it. */
  readonly text: string;
  /** The value behind `text`: a text itself, or the arguments as canonical JSON. */
  readonly raw: string;
  /** The agent's own words about the call. */
  readonly isSaid?: boolean;
}

const MAX_NAMED = 4;
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,40}$/;

/**
 * Renders a few named texts, and texts of several lines, as plain text. Everything else is shown as JSON, where a number cannot pass for a text.
 * The agent's words about the call come last: they do not run, and nobody should judge by them.
 */
export function argumentsOf({ input }: Pick<ToolCall, 'input'>, subject?: readonly string[]): Shown[] {
  const named = inReadingOrder(input, subject);
  const texts = named.flatMap(([name, value]) =>
    AGENTS_WORDS.has(name) && isText(value) ? [{ name, text: visible(value), raw: value, isSaid: true }] : [],
  );
  // A call of nothing else is shown as it is.
  if (texts.length === named.length) return shownOf(named);
  const apart = new Set(texts.map(({ name }) => name));
  return [...shownOf(named.filter(([name]) => !apart.has(name))), ...texts];
}

/** Fields that hold what is written or sent: the longest, and the last to look at. */
const CONTENTS: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'old_string',
  'new_string',
  'body',
  'text',
  'patch',
  'diff',
]);

/**
 * Sorts the named arguments for people: the target first, then the others in their order, then texts to be written, then the agent's words about
 * the call. Within a rank, an old text stands before the new one.
 */
export function inReadingOrder(input: unknown, subject?: readonly string[]): [string, unknown][] {
  const subjects = subjectFields(subject);
  const rank = ([name, value]: [string, unknown]) => {
    if (AGENTS_WORDS.has(name) && isText(value)) return 3;
    if (subjects.includes(name)) return 0;
    return CONTENTS.has(name) ? 2 : 1;
  };
  const named = Object.entries((input ?? {}) as Record<string, unknown>);
  return oldFirst(named.toSorted((a, b) => rank(a) - rank(b)));
}

const OLD = /^(?:old|before|from)(?=[_A-Z]|$)/;
const NEW = /^(?:new|after|to)(?=[_A-Z]|$)/;

/** `old_string` before `new_string`, whatever the order they were stored in: people read from old to new. */
export function oldFirst<Value>(named: readonly [string, Value][]): [string, Value][] {
  const places = named.flatMap((one, at) => (OLD.test(one[0]) ? [{ one, at, rest: one[0].replace(OLD, '') }] : []));
  const olds = Map.groupBy(places, ({ rest }) => rest);
  const moved = new Set<number>();
  return named.flatMap((one, at) => {
    if (moved.has(at)) return [];
    const same = NEW.test(one[0]) ? (olds.get(one[0].replace(NEW, '')) ?? []) : [];
    const later = same.filter((old) => old.at > at && !moved.has(old.at));
    for (const old of later) moved.add(old.at);
    return [...later.map((old) => old.one), one];
  });
}

/** The same at every level of a JSON value. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(oldFirst(Object.entries(value)).map(([key, item]) => [key, inOrder(item)]));
}

function shownOf(named: readonly (readonly [string, unknown])[]): Shown[] {
  const texts = named.flatMap(([name, value]) =>
    PLAIN_NAME.test(name) && isText(value) ? [{ name, text: visible(value), raw: value }] : [],
  );
  const plain = named.length > 0 && named.length <= MAX_NAMED && texts.length === named.length;
  if (plain) return texts;
  const several = texts.filter(({ raw }) => raw.includes('\n')).slice(0, MAX_NAMED);
  const apart = new Set(several.map(({ name }) => name));
  const input = Object.fromEntries(named.filter(([name]) => !apart.has(name)));
  return [{ text: visibleJson(inOrder(input)), raw: canonicalJson(input) }, ...several];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** The label of an argument where it is shown. */
export const labelOf = ({ name = CARD.arguments, isSaid }: Pick<Shown, 'name' | 'isSaid'>): string =>
  isSaid ? CARD.saysIn(name) : name;

/** Where a text goes on, and whether it is the one that was meant, without reading it: lines, bytes in UTF-8, SHA-256. */
export function sizeOf(raw: string): { readonly lines: number; readonly bytes: number; readonly sha256: string } {
  return { lines: raw.split('\n').length, bytes: Buffer.byteLength(raw), sha256: sha256Hex(raw) };
}

export function sizeText(raw: string): string {
  const { lines, bytes, sha256 } = sizeOf(raw);
  return CARD.size(lines, bytes, sha256);
}

/** Cuts a text into pieces of at most `most` UTF-16 units that give it back when joined; at a line's end where there is one near. */
export function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + most);
    const next = end === text.length ? end : (lineEnd(text, start, end) ?? wholeCharacter(text, end));
    pieces.push(text.slice(start, next));
    start = next;
  }
  return pieces;
}

/** After the last line end in the piece's last fifth. */
function lineEnd(text: string, start: number, end: number): number | undefined {
  const found = text.lastIndexOf('\n', end - 1) + 1;
  return found > start + (end - start) * 0.8 ? found : undefined;
}

/** Not between the halves of a surrogate pair. */
export const wholeCharacter = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at;
