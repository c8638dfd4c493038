/** Finds where a text stops being JSON, for whoever wrote it. */
import { type ParseError, parse } from 'jsonc-parser';

/** Such as `line 1, column 2`; undefined for a text that is JSON. */
export function jsonPosition(text: string): string | undefined {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (!first) return undefined;
  const lines = text.slice(0, first.offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
