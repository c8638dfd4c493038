/** Reads what addresses, JSON and markup write with escapes, with the index of each character. */
import type { Folded } from '../text/fold.ts';
import { matchesOf } from '../text/matches.ts';

/** Matches the escape of a visible ASCII character, such as `%3D`, `\u003d`, `\x3d`, `&quot;`, or of a color, which parts words without a blank. */
const ESCAPE =
  /%[2-7][0-9A-Fa-f]|\\{1,7}(?:u00|x)[2-7][0-9A-Fa-f]|&(?:lt|gt|quot|apos|amp|#39|#x27);|(?:\p{Cc}|\\{1,7}(?:u001b|x1b|033|e))\[[0-9;]{0,20}m/giu;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&#x27;', "'"],
  ['&amp;', '&'],
]);

const plainOf = (written: string): string =>
  ENTITIES.get(written.toLowerCase()) ?? String.fromCharCode(Number.parseInt(written.slice(-2), 16));

/** Undefined for a text without escapes. */
export function unescaped(text: string): Folded | undefined {
  const escapes = matchesOf(text, ESCAPE);
  if (!escapes.length) return undefined;
  /** Where each run without escapes begins in both texts. */
  const runs: { readonly plain: number; readonly raw: number }[] = [{ plain: 0, raw: 0 }];
  let plain = '';
  let from = 0;
  for (const { 0: written, index } of escapes) {
    plain += text.slice(from, index);
    runs.push({ plain: plain.length, raw: index });
    plain += written.endsWith('m') ? ' ' : plainOf(written);
    from = index + written.length;
    runs.push({ plain: plain.length, raw: from });
  }
  plain += text.slice(from);
  const rawOf = (at: number): number => {
    let low = 0;
    for (let high = runs.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((runs[middle]?.plain ?? 0) <= at) low = middle;
      else high = middle;
    }
    const run = runs[low];
    return run ? run.raw + at - run.plain : at;
  };
  return {
    text: plain,
    // An escape is one character: its end is where the next one begins.
    spansOf: (found) => found.map(({ start, end, kind }) => ({ start: rawOf(start), end: rawOf(end), kind })),
  };
}
