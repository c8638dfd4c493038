/** Adds to and replaces in a JSON text: the edits of jsonc-parser format the neighbours, too. */
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';

type Path = readonly (string | number)[];

/**
 * Returns the text with the value at the path, in place of an existing value, or else as the last key of the object above, which has to exist.
 * `first` adds the value as the first item of an array.
 */
export function withValue(text: string, path: Path, value: unknown, how: 'set' | 'first' = 'set'): string {
  const root = nodeAt(text, []);
  const style = styleOf(text);
  const depth = how === 'first' ? path.length + 1 : path.length;
  const written = JSON.stringify(value, null, style.indent)
    .split('\n')
    .join(style.eol + style.indent.repeat(depth));
  const found = findNodeAtLocation(root, [...path]);
  if (found && how === 'set') return spliced(text, found.offset, found.offset + found.length, written);
  const above = found ?? nodeAt(text, path.slice(0, -1));
  const [first, last] = [above.children?.[0], above.children?.at(-1)];
  const line = style.eol + style.indent.repeat(depth);
  const added = how === 'first' ? written : `${JSON.stringify(path.at(-1))}: ${written}`;
  const end = above.offset + above.length - 1;
  if (!first || !last)
    return spliced(text, above.offset + 1, end, line + added + style.eol + style.indent.repeat(depth - 1));
  if (how === 'first') return spliced(text, above.offset + 1, above.offset + 1, `${line}${added},`);
  return spliced(text, last.offset + last.length, last.offset + last.length, `,${line}${added}`);
}

function nodeAt(text: string, path: Path): Node {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, [...path]);
  if (!node) throw new Error(`the JSON has nothing at ${path.join('.')}`);
  return node;
}

const spliced = (text: string, from: number, to: number, put: string): string =>
  text.slice(0, from) + put + text.slice(to);

/** The indent and the line ends that the text has. */
function styleOf(text: string): { readonly indent: string; readonly eol: string } {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
