/** What stands in the place of a secret: a mark that says so, never nothing (D33). */

/** A part of a text that must not be kept or shown. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** What it is, in words for people: `github`, `password`, `private key`. */
  readonly kind: string;
}

const OPEN = '‹redacted: ';
const CLOSE = '›';
/** What the marks of values begin with that may be a path or a host: they do not count as shown (A20). */
export const UNSHOWN = 'path or host as ';

const KIND = /[^a-z0-9 _-]/g;

export const markerOf = (kind: string): string =>
  `${OPEN}${kind.toLowerCase().replaceAll(KIND, ' ').slice(0, 60)}${CLOSE}`;

const MARKER = /‹redacted: ([a-z0-9 _-]{1,60})›/g;

/** The marks in a text that was redacted. */
export function markersIn(text: string): readonly Found[] {
  return [...text.matchAll(MARKER)].map(({ 0: all, 1: kind = '', index }) => ({
    start: index,
    end: index + all.length,
    kind,
  }));
}

/** Text that only looks like a mark is taken out like a secret: a mark that people see always stands for something that was taken out. */
export function lookAlikes(text: string): Found[] {
  const found: Found[] = [];
  for (let at = text.indexOf(OPEN.trim()); at >= 0; at = text.indexOf(OPEN.trim(), at + 1)) {
    found.push({ start: at, end: at + OPEN.trim().length, kind: 'text like a mark' });
  }
  return found;
}

/** Puts marks in place of what was found; overlapping parts become one, called by the first. */
export function marked(
  text: string,
  found: readonly Found[],
): { readonly text: string; readonly secrets: readonly string[] } {
  let out = '';
  let upTo = 0;
  const secrets: string[] = [];
  for (const { start, end, kind } of merged(found)) {
    out += text.slice(upTo, start) + markerOf(kind);
    secrets.push(text.slice(start, end));
    upTo = end;
  }
  return { text: out + text.slice(upTo), secrets };
}

function merged(found: readonly Found[]): Found[] {
  const result: Found[] = [];
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last && one.start < last.end) result[result.length - 1] = { ...last, end: Math.max(last.end, one.end) };
    else if (one.end > one.start) result.push(one);
  }
  return result;
}
