/** How a call is shown to a person: nothing invisible, nothing that moves the cursor. */

/** Characters that do not show as themselves, as `\u202e`. */
export function visible(text: string): string {
  let result = '';
  for (const char of text) {
    const hidden =
      char < ' ' || (char >= '\x7f' && char < '\xa0') || HIDDEN.some(([low, high]) => char >= low && char <= high);
    result += hidden
      ? [...char].map((each) => `\\u${(each.codePointAt(0) as number).toString(16).padStart(4, '0')}`).join('')
      : char;
  }
  return result;
}

/** Control, format and unassigned characters, as `\u{202e}`. */
export const escaped = (text: string): string =>
  text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const HIDDEN: readonly (readonly [string, string])[] = [
  ['\u00ad', '\u00ad'],
  ['\u061c', '\u061c'],
  ['\u180e', '\u180e'],
  ['\u200b', '\u200f'],
  ['\u2028', '\u202e'],
  ['\u2060', '\u206f'],
  ['\ufeff', '\ufeff'],
];

/** JSON with a blank after `,` and `:`, as in the contract's prompt. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, each]) => `${visible(JSON.stringify(key))}: ${spacedJson(each)}`)
      .join(', ')}}`;
  }
  return visible(JSON.stringify(value) ?? 'null');
}
