/** Prints text on a terminal: nothing that somebody else wrote takes effect, and columns line up. */
import { foreignSpelled } from '../../adapters/slack/elements/text.ts';
import { spelledOut, UNSEEN } from '../../domain/text/invisible-characters.ts';

/** One line of foreign text. */
export const plain = spelledOut;

/** A foreign name in one line: no note beside it tells of letters that look like others. */
export const plainName = (name: string): string => foreignSpelled(spelledOut(name));

/** JSON on one line, with escapes for every character that a terminal might act on; it parses back to the same value. */
export const jsonLine = (value: unknown): string => jsonTextLine(JSON.stringify(value));

/** The same of a text that is JSON already. */
export function jsonTextLine(json: string): string {
  const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
  const escaped = (character: string) =>
    Array.from({ length: character.length }, (_, index) => unit(character.charCodeAt(index))).join('');
  return `${json.replace(UNSEEN, escaped)}\n`;
}

const GAP = '  ';
const MIN_WIDTH = 8;
/** Fewer columns than this would break words of a table. */
const NARROW = 60;

type Paint = (text: string, column: number, row: number) => string;

/**
 * Rows under their headings within `columns`: the widest columns give way and wrap; where the terminal is narrow, a block of lines for each
 * row. `paint` colours a cell after it was measured.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  paint: Paint = (text) => text,
): string {
  const cells = [headings, ...rows].map((row) => headings.map((_, column) => plainName(row[column] ?? '')));
  if (columns < NARROW && headings.length > 2) return blocks(cells, columns, paint);
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const room = Math.max(columns, 40) - GAP.length * (headings.length - 1);
  for (let over = sum(widths) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= MIN_WIDTH) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const lines = cells.flatMap((row, index) => {
    const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? MIN_WIDTH));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      wrapped
        .map((parts, column) => {
          const part = parts[line] ?? '';
          return paint(part, column, index - 1) + ' '.repeat(Math.max(0, (widths[column] ?? 0) - part.length));
        })
        .join(GAP)
        .trimEnd(),
    );
  });
  return `${lines.join('\n')}\n`;
}

/** `HEADING: value` on lines of their own, what is empty left away. */
function blocks([headings = [], ...rows]: readonly (readonly string[])[], columns: number, paint: Paint): string {
  const lineOf = (cell: string, column: number, row: number): string => {
    const heading = headings[column] ?? '';
    const indent = ' '.repeat(heading.length + 2);
    const [first = '', ...rest] = wrap(cell, Math.max(columns - indent.length, MIN_WIDTH));
    const more = rest.map((part) => `${indent}${paint(part, column, row)}`);
    return [`${paint(heading, column, -1)}: ${paint(first, column, row)}`, ...more].join('\n');
  };
  const texts = rows.map((row, index) =>
    row.flatMap((cell, column) => (cell ? lineOf(cell, column, index) : [])).join('\n'),
  );
  return `${texts.join('\n\n')}\n`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** At blanks where there are some, else anywhere. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const end = blank > 0 ? blank : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** Our own text, such as help: lines that are too long go on below the column where their words began. */
export function folded(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.length <= columns) return [line];
      const [margin = ''] = /^\s*(?:\S+ )*\S+\s{2,}/.exec(line.slice(0, columns / 2)) ?? /^\s*/.exec(line) ?? [];
      const [first = '', ...more] = wrap(line.slice(margin.length), columns - margin.length);
      return [`${margin}${first}`, ...more.map((part) => `${' '.repeat(margin.length)}${part}`)];
    })
    .join('\n');
}

/** As `folded`, with long lines of commands as a shell takes them from the screen. */
export function foldedHelp(text: string, columns: number): string {
  return folded(
    text.replaceAll(/^ {2}countersign .*$/gm, (line) => continued(line, columns)),
    columns,
  );
}

/** Goes on before an option, where no quoted text is cut. */
function continued(command: string, columns: number): string {
  const lines: string[] = [];
  for (const part of command.split(/ (?=--)/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 3 <= columns) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? part : `    ${part}`);
  }
  return lines.join(' \\\n');
}

/** `3m 20s`, `2h 5m`, `4d 1h`: two units are enough to act on. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const first = Math.max(
    0,
    parts.findIndex(([amount]) => amount > 0),
  );
  if (seconds === 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}

/** `2026-11-21 09:30:00Z`. */
export const moment = (iso: string): string => iso.replace('T', ' ').replace(/\.\d+(?=Z$)/, '');
