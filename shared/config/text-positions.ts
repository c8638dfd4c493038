/** Says at which line and column the keys and values of a YAML text stand. */
import { type Document, isMap, isNode, isScalar, type LineCounter } from 'yaml';

/** Counted from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

type Path = readonly (string | number)[];

export interface TextPositions {
  /** The position of the value at the path, else of its nearest enclosing value; an empty text begins at its start. */
  value(path: Path): TextPosition;
  /** The position of the last key of the path. */
  key(path: Path): TextPosition | undefined;
  at(offset: number): TextPosition;
}

export function positionsOf(document: Document, lines: LineCounter, source: string): TextPositions {
  // No editor counts a byte order mark.
  const unseen = source.startsWith('\ufeff') ? 1 : 0;
  const at = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line, column: line === 1 ? Math.max(col - unseen, 1) : col };
  };
  const nodeAt = (path: Path): unknown => (path.length ? document.getIn(path, true) : document.contents);
  return {
    at,
    value: (path) => {
      for (let depth = path.length; depth >= 0; depth--) {
        const node = nodeAt(path.slice(0, depth));
        if (isNode(node) && node.range) return at(node.range[0]);
      }
      return at(0);
    },
    key: (path) => {
      const parent = nodeAt(path.slice(0, -1));
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
        : undefined;
      return isNode(pair?.key) && pair.key.range ? at(pair.key.range[0]) : undefined;
    },
  };
}
