/** Tells why a text is not JSON, with the place where a person has to look. */
import { jsonPlace } from '../../domain/json-place.ts';

/** `what` stands for the text, as in `--input is not JSON at line 1, column 2`. Faults other than of syntax say their place themselves. */
export function jsonProblem(text: string, fault: { readonly code: string; readonly message: string }, what: string) {
  if (fault.code !== 'invalid_json') return fault.message;
  const place = jsonPlace(text);
  return `${what} is not JSON${place === undefined ? '' : ` at ${place}`}`;
}
