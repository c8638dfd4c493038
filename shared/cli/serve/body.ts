/** Reads the body of a request within bounds, and as JSON that no two readers read otherwise. */
import type { IncomingMessage } from 'node:http';
import { fieldOf, jsonWords } from '../../domain/issue-messages.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { type CallRequest, callRequest } from './messages.ts';
import { RequestError } from './problems.ts';

/** The beginning of a body, and whether there is more of it. */
interface Read {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** @throws RequestError for another content type, a longer body, or bytes that are no UTF-8 */
export async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<string> {
  requireJson(request);
  return textOf(await bytesOf(request, maxBytes), maxBytes);
}

/** @throws RequestError */
export function requireJson({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!/^application\/json(?:\s*;|$)/i.test(headers['content-type'] ?? ''))
    throw new RequestError(415, 'not_json', 'send Content-Type: application/json');
}

/** Reads so many bytes at least, unless the body has fewer. */
export async function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Read> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A stream that is destroyed takes the answer with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks), isCut: bytes > maxBytes };
}

/** @throws RequestError for a longer body, and for bytes that are no UTF-8 */
export function textOf({ bytes, isCut }: Read, maxBytes: number): string {
  if (isCut) throw new RequestError(413, 'too_large', `the body has more than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RequestError(400, 'not_utf8', 'the body is not UTF-8');
  }
}

/** Seconds that a program may have its request held. */
export const MAX_WAIT_S = 60;

/** Milliseconds of `?wait=25`. @throws RequestError */
export function waitOf({ url = '' }: Pick<IncomingMessage, 'url'>): number {
  const { searchParams } = new URL(url, 'http://localhost');
  // A misspelt one would have its program ask without end, and never wait.
  const unknown = [...searchParams.keys()].find((name) => name !== 'wait');
  if (unknown !== undefined)
    throw new RequestError(
      422,
      'unknown_parameter',
      `${unknown.slice(0, 50)}: there is no such parameter; there is wait`,
    );
  const [wait = '0', ...more] = searchParams.getAll('wait');
  if (!more.length && /^\d{1,2}$/.test(wait) && Number(wait) <= MAX_WAIT_S) return Number(wait) * 1_000;
  throw new RequestError(422, 'invalid_wait', `wait: must be one whole number of seconds up to ${MAX_WAIT_S}`);
}

/** @throws RequestError for a text that is no JSON, or that two readers may read otherwise (G15) */
export function jsonIn(raw: string, maxBytes: number): unknown {
  const read = readIJson(raw, maxBytes);
  if (read.ok) return read.value;
  throw new RequestError(400, read.fault.code, read.fault.message);
}

/** @throws RequestError that names the field */
export function callOf(raw: string, maxBytes: number): CallRequest {
  const parsed = callRequest.safeParse(jsonIn(raw, maxBytes), { error: jsonWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = fieldOf(issue?.path ?? []) || 'the body';
  throw new RequestError(422, 'invalid_call', `${field}: ${issue?.message}`);
}
