/** Tells why a text is not JSON, with the place where a person has to look. */
import { type ParseError, parse } from 'jsonc-parser';

/** `what` stands for the text, as in `--input is not JSON at line 1, column 2`. Faults other than of syntax say their place themselves. */
export function jsonProblem(text: string, fault: { readonly code: string; readonly message: string }, what: string) {
  if (fault.code !== 'invalid_json') return fault.message;
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (!first) return `${what} is not JSON`;
  const lines = text.slice(0, first.offset).split('\n');
  return `${what} is not JSON at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
