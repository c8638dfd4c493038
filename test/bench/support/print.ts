/**
 * Prints plain tables of figures with aims beside measurements.
 *
 * Nothing here fails: the reader judges.
 */

export type Cell = string | number;

/** Text columns to the left, figures to the right. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const figures = head.map((_, column) => rows.some((row) => typeof row[column] === 'number' || isFigure(row[column])));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (figures[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  console.log(`\n${title}`);
  for (const row of cells.slice(0, 1)) console.log(`  ${line(row)}`);
  console.log(`  ${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  for (const row of cells.slice(1)) console.log(`  ${line(row)}`);
}

export const note = (text: string): void => console.log(`  ${text}`);

/** How a figure stands to its aim, the smaller the better. */
export const against = (value: number, aim: number): string => (value <= aim ? 'meets it' : 'MISSES it');

export const kb = (bytes: number): string => `${(bytes / 1000).toFixed(0)} KB`;
export const ms = (value: number): string => `${value.toFixed(0)} ms`;
export const dollars = (value: number): string => `$${value.toFixed(2)}`;
export const decimals = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));

const isFigure = (cell: Cell | undefined): boolean =>
  typeof cell === 'string' && /^\$?\d[\d.,]*( ?(KB|ms|B))?$/.test(cell);
