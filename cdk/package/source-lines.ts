/** Reduces the source map of a bundled file to the line of a source behind each place in the file. */

/** Places of one bundled file. A frame of a log line has a place, and needs no column of the source. */
export interface SourceLines {
  /** Paths from the repository's root; those of packages begin with `node_modules/`. */
  readonly sources: readonly string[];
  /** For each line of the bundled file, triples in order: column, index of the source and line there, each as the difference to the one before. */
  readonly lines: readonly (readonly number[])[];
}

/** A line of a source, counted from 1 as in a frame. */
export interface SourceLine {
  readonly source: string;
  readonly line: number;
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** @param pathOf the path that is shown of a source, which the map names from its own folder */
export function sourceLinesOf({ sources, mappings }: SourceMap, pathOf: (source: string) => string): SourceLines {
  let source = 0;
  let line = 0;
  const reduced = (segments: string): number[] => {
    const triples: number[] = [];
    let column = 0;
    let [lastColumn, lastSource, lastLine] = [0, 0, -1];
    for (const segment of segments.split(',')) {
      const [columns = 0, sourcesOn, linesOn] = numbersOf(segment);
      column += columns;
      if (sourcesOn === undefined || linesOn === undefined) continue;
      source += sourcesOn;
      line += linesOn;
      if (source === lastSource && line === lastLine) continue;
      triples.push(column - lastColumn, source - lastSource, line - Math.max(lastLine, 0));
      [lastColumn, lastSource, lastLine] = [column, source, line];
    }
    return triples;
  };
  return { sources: sources.map(pathOf), lines: mappings.split(';').map(reduced) };
}

/** Line and column count from 1, as in a frame. Undefined where nothing of a source is. */
export function sourceLineAt(
  { sources, lines }: SourceLines,
  lineNumber: number,
  columnNumber: number,
): SourceLine | undefined {
  const triples = lines[lineNumber - 1] ?? [];
  let [column, source, line] = [0, 0, 0];
  let found: SourceLine | undefined;
  for (let index = 0; index < triples.length; index += 3) {
    column += triples[index] ?? 0;
    source += triples[index + 1] ?? 0;
    line += triples[index + 2] ?? 0;
    if (column >= columnNumber) break;
    found = { source: sources[source] ?? '', line: line + 1 };
  }
  return found;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Reads numbers in base 64 of variable length, as source maps write them: six bits a digit, the sign in the lowest bit. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
