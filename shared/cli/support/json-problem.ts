/** Tells why a text is not JSON, with the position at which a person has to look. */
import { jsonPosition } from '../../domain/json-position.ts';

/** `what` stands for the text, as in `--input is not JSON at line 1, column 2`. Faults other than of syntax state their position themselves. */
export function jsonProblem(text: string, fault: { readonly code: string; readonly message: string }, what: string) {
  if (fault.code !== 'invalid_json') return fault.message;
  const position = jsonPosition(text);
  return `${what} is not JSON${position === undefined ? '' : ` at ${position}`}`;
}
