/** Tells which characters of a foreign text are not seen as themselves, on cards and in terminals. */

/**
 * Controls, bidi and zero-width characters, other default-ignorable ones, blanks that are not a space, private use and unassigned, and the few
 * others that are drawn as nothing (a Braille blank, an object's place, a null notehead), and marks upon four others, which are drawn over the
 * lines above. Written as an escape, so that no two texts look alike.
 */
export const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]|[^\S ]|(?<=\p{M}{4})\p{M}/gu;

/** The first character of a text that nobody sees, as `U+200B`; line ends and tabs are none. */
export function unseenIn(text: string): string | undefined {
  const [unseen] = (text.match(UNSEEN) ?? []).filter((character) => character !== '\n' && character !== '\t');
  return unseen && `U+${(unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The text with a blank for every blank, and without what is not seen. */
export const withoutUnseen = (text: string): string =>
  text.replace(UNSEEN, (character) => (/[^\S\ufeff]/.test(character) ? ' ' : ''));

/**
 * One line in which each character that is not seen stands as `\u{202e}`. Backslashes are doubled only in a text with such an escape, ours or its
 * own: commands read as they are, and no two texts look alike.
 */
export function spelledOut(text: string): string {
  if (text.search(UNSEEN) < 0 && !text.includes('\\u{')) return text;
  return text
    .replaceAll('\\', '\\\\')
    .replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`);
}
