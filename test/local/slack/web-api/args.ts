/**
 * Reads the arguments of a Web API call.
 *
 * Forms have structured values as JSON strings; other bodies are JSON.
 */
import type { IncomingMessage } from 'node:http';
import { invalid, missingArgument, SlackApiError } from '../errors.ts';
import type { Dict } from '../types.ts';
import { isDict } from '../values.ts';

const MAX_BODY = 2 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new SlackApiError('request_too_large', {}, 413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export async function readArguments(request: IncomingMessage, query: URLSearchParams): Promise<Dict> {
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/json')) return { ...Object.fromEntries(query), ...formOf(body) };
  try {
    const parsed: unknown = JSON.parse(body === '' ? '{}' : body);
    if (isDict(parsed)) return { ...Object.fromEntries(query), ...parsed };
  } catch {
    throw new SlackApiError('invalid_json');
  }
  throw new SlackApiError('json_not_object');
}

const formOf = (body: string): Dict => Object.fromEntries(new URLSearchParams(body));

export function optionalText(args: Dict, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : String(value);
}

export function requiredText(args: Dict, name: string): string {
  const value = optionalText(args, name);
  if (value === undefined) throw missingArgument(name);
  return value;
}

export const flag = (args: Dict, name: string): boolean => ['true', '1'].includes(String(args[name]));

/** A structured value, whether it came as JSON text (forms) or as it is (JSON bodies). */
export function structured(args: Dict, name: string, errorCode: string): unknown {
  const value = args[name];
  if (typeof value !== 'string') return value ?? undefined;
  if (value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw invalid(errorCode, [`${name} must be valid JSON`]);
  }
}

/** One page of a list and the cursor of the next. */
export function paged<Item>(args: Dict, items: Item[], usual = 100): { page: Item[]; next: string } {
  const limit = Math.min(Math.max(Number(optionalText(args, 'limit') ?? usual) || usual, 1), 1_000);
  const start = Number(Buffer.from(optionalText(args, 'cursor') ?? '', 'base64url').toString() || 0);
  if (!Number.isInteger(start) || start < 0) throw new SlackApiError('invalid_cursor');
  const end = start + limit;
  return {
    page: items.slice(start, end),
    next: end < items.length ? Buffer.from(String(end)).toString('base64url') : '',
  };
}
