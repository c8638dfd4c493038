/** Prints a call for a person: nothing invisible, nothing that moves the cursor. */
import { UNSEEN } from '../../domain/text/invisible-characters.ts';

/** Characters that do not show as themselves, as `\u202e`: in JSON they parse back to the same text. */
const visible = (text: string): string =>
  text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hexOf(character.charCodeAt(at)).padStart(4, '0')}`).join(
      '',
    ),
  );

const hexOf = (code: number): string => code.toString(16);

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
