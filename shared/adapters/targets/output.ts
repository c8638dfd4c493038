/** What a target answered, as the output of a call: JSON within its size, or an error that quotes nothing of it. */
import { executionError, type GuardrailError } from '../../guardrails/errors.ts';

/** The tool ran and its answer is of no use: what it did, nobody here can say (G32). */
const unusable = (message: string): GuardrailError =>
  executionError(message, { code: 'InvalidOutput', effect: 'unknown' });

export const tooLarge = (maxBytes: number): GuardrailError =>
  unusable(`The output of the tool is larger than ${maxBytes} bytes.`);

/** @throws GuardrailError if the text is too large or no JSON. */
export function outputOf(text: string, maxBytes: number): unknown {
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(maxBytes);
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw unusable('The output of the tool is not JSON.');
  }
}

/** An output that a library has parsed already. */
export function checkedOutput(output: unknown, maxBytes: number): unknown {
  if (Buffer.byteLength(JSON.stringify(output) ?? 'null') > maxBytes) throw tooLarge(maxBytes);
  return output;
}

/** Of one answer of an MCP server: the largest output in JSON within JSON, or a long list of tools. */
const MOST_ANSWER_BYTES = 2 * 1024 * 1024;

/** `fetch` whose answers end in an error once they are too long. */
export async function limitedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.body) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      bytes += part.byteLength;
      if (bytes > MOST_ANSWER_BYTES) controller.error(tooLarge(MOST_ANSWER_BYTES));
      else controller.enqueue(part);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
