/** Characters that make a command or a path at least ask, or an error. */

export type CharacterFinding =
  | { readonly kind: 'nul' }
  | { readonly kind: 'surrogate' }
  | { readonly kind: 'odd'; readonly what: string; readonly codePoint: number };

/** Default_Ignorable_Code_Point of Unicode 16, as ranges; they are invisible and change what a name looks like. */
const IGNORABLE: readonly (readonly [number, number])[] = [
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfff8],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const ODD_BLANKS: ReadonlySet<number> = new Set([
  0x0085, 0x00a0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
  0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0x2800,
]);

export function isDefaultIgnorable(codePoint: number): boolean {
  return codePoint >= 0xad && IGNORABLE.some(([low, high]) => codePoint >= low && codePoint <= high);
}

function isControl(codePoint: number): boolean {
  return codePoint < 0x20 || (codePoint >= 0x7f && codePoint <= 0x9f);
}

/** True for printable ASCII only, the usual case, so that most texts are judged in one pass. */
export function isPlainAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/**
 * The worst finding in `text`, or `undefined`. Tab and newline are plain in commands and odd in paths.
 */
export function inspectCharacters(text: string, kind: 'command' | 'path'): CharacterFinding | undefined {
  if (isPlainAscii(text)) return undefined;
  let worst: CharacterFinding | undefined;
  for (const char of text) {
    const codePoint = char.codePointAt(0) as number;
    if (codePoint === 0) return { kind: 'nul' };
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) return { kind: 'surrogate' };
    if (kind === 'command' && (codePoint === 0x09 || codePoint === 0x0a)) continue;
    const what = isControl(codePoint)
      ? 'a control character'
      : isDefaultIgnorable(codePoint)
        ? 'an invisible or direction-changing character'
        : ODD_BLANKS.has(codePoint)
          ? 'an unusual blank'
          : undefined;
    if (what !== undefined) worst ??= { kind: 'odd', what, codePoint };
  }
  return worst;
}

/** `text` without default-ignorable code points (NFKC alone keeps them). */
export function withoutIgnorable(text: string): string {
  if (isPlainAscii(text)) return text;
  let result = '';
  for (const char of text) if (!isDefaultIgnorable(char.codePointAt(0) as number)) result += char;
  return result;
}

/** The folded form that deny rules and protected names are compared in: no ignorables, NFKC, lower case. */
export function foldText(text: string): string {
  return isPlainAscii(text) ? text.toLowerCase() : withoutIgnorable(text).normalize('NFKC').toLowerCase();
}

/** `U+200B`, for messages: an odd character is named, never shown raw. */
export function codePointName(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
