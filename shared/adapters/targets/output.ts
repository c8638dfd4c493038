/** Reads a target's answer as a call's output: bounded JSON, or an error without a quote. */
import { providerThrottledError } from '../../guardrails/limits/limit-errors.ts';
import { executionError, type GuardrailError } from '../../guardrails/settings/errors.ts';

/** The tool ran and its answer is of no use: what it did, nobody here can say. */
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

/** The size of one answer of an MCP server: the largest output in JSON within JSON, or a long list of tools. */
export const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** A `retry-after` header: seconds, or a date. */
export function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,6}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** Returns a `fetch` for one server: a 429 becomes an error of the guardrails, and so does an answer that is too long. */
export const guardedFetch =
  (origin: string) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const { status, statusText, headers, body } = response;
    if (status === 429) {
      await body?.cancel().catch(() => undefined);
      throw providerThrottledError(origin, retryAfterOf(headers.get('retry-after'), Date.now()));
    }
    if (!body) return response;
    return new Response(body.pipeThrough(limited()), { status, statusText, headers });
  };

/** Passes one answer on, and breaks where it is too long. */
export function limited(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(part, controller) {
      bytes += part.byteLength;
      if (bytes > MAX_ANSWER_BYTES) controller.error(tooLarge(MAX_ANSWER_BYTES));
      else controller.enqueue(part);
    },
  });
}
