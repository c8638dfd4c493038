/** Tells which characters of a foreign text are not seen as themselves, on cards and in terminals. */

/**
 * Matches characters that people do not see as themselves: controls, default-ignorable ones (such as bidi and zero-width characters), blanks
 * other than a space, private use and unassigned ones, and three that are drawn as nothing (Braille blank, object replacement, null notehead).
 * A mark upon four others matches too, because it is drawn over the lines above. Each is shown as an escape, so that no two texts look alike.
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
