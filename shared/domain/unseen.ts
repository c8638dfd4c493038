/** Tells which characters of a foreign text are not seen as themselves, on cards and in terminals. */

/**
 * Controls, bidi and zero-width characters, other default-ignorable ones, blanks that are not a space, private use and unassigned, and the few
 * others that are drawn as nothing (a Braille blank, an object's place, a null notehead). Written as an escape, so that no two texts look alike.
 */
export const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]|[^\S ]/gu;
