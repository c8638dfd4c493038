/** Words values and texts in one line. Characters cut off, and further lines, are marked with `…`. */

/** Characters of a value within a name. */
export const MAX_VALUE = 60;

export const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** A plain value: a text, number or boolean, or texts alone. Undefined for any other, and for a text of blanks. */
export function wordOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
    return firstLine(value.join(', '), MAX_VALUE);
  return typeof value === 'string' && value.trim() !== '' ? firstLine(value, MAX_VALUE) : undefined;
}

/** The first line that is not blank. */
export function firstLine(text: string, most: number): string {
  const [line = '', ...rest] = text.trim().split(LINE_END);
  const cutLine = cut(line.trimEnd(), most);
  return rest.length && !cutLine.endsWith('…') ? `${cutLine} …` : cutLine;
}

/** All lines behind each other: a line of an agent's own would look like one of ours. */
export const inOneLine = (text: string): string => (LINE_END.test(text) ? text.split(LINE_END).join(' … ') : text);

/** Counts code points. */
export function cut(text: string, most: number): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}
