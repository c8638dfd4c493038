/** Finds characters that make a command or a path at least ask, or an error. */

type CharacterFinding =
  | { readonly kind: 'nul' }
  | { readonly kind: 'surrogate' }
  | { readonly kind: 'odd'; readonly what: string; readonly codePoint: number };

/** Invisible characters, which change the look of a name. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
const IGNORABLES = /\p{Default_Ignorable_Code_Point}/gu;
const CONTROL = /\p{Cc}/u;
/** Unicode counts the empty Braille pattern as no blank, and it looks like one. */
const BLANK = /[\p{White_Space}\u2800]/u;

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
    if (codePoint >= 0x20 && codePoint <= 0x7e) continue;
    const what = CONTROL.test(char)
      ? 'a control character'
      : IGNORABLE.test(char)
        ? 'an invisible or direction-changing character'
        : BLANK.test(char)
          ? 'an unusual blank'
          : undefined;
    if (what !== undefined) worst ??= { kind: 'odd', what, codePoint };
  }
  return worst;
}

/** `text` without default-ignorable code points (NFKC alone keeps them). */
export function withoutIgnorable(text: string): string {
  return isPlainAscii(text) ? text : text.replaceAll(IGNORABLES, '');
}

/** The folded form that deny rules and protected names are compared in: no ignorables, NFKC, and no case. */
export function foldText(text: string): string {
  return isPlainAscii(text) ? text.toLowerCase() : withoutCase(withoutIgnorable(text).normalize('NFKC'));
}

/** `.ßh` and `.ẞh` are `.ssh` to file systems that fold the case of all letters, as that of macOS: small letters alone do not tell so. */
const withoutCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');

/** `U+200B`, for messages: an odd character is named, never shown raw. */
export function codePointName(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
