/** Writes and reads the JSON of AWS as the SDK does: bytes as Base64, times as seconds. */
import { ownValue } from '../../../domain/own.ts';
import type { Service } from './service.ts';

type Kinds = Pick<Service, 'bytes' | 'times'>;

export const toWire = (input: object): string => JSON.stringify(input, asText);

export function fromWire(text: string, { bytes, times }: Kinds): Record<string, unknown> {
  const read = (key: string, value: unknown): unknown => {
    if (bytes.has(key)) return bytesOf(value);
    return times.has(key) && typeof value === 'number' ? new Date(value * 1000) : value;
  };
  const value: unknown = text === '' ? {} : JSON.parse(text, read);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no JSON object');
  return value as Record<string, unknown>;
}

/** Writes the value as it was: `value` has passed the own `toJSON` of a Buffer or a Date. */
function asText(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const given = ownValue(this, key);
  if (given instanceof Date) return given.getTime() / 1000;
  return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value;
}

/** Only texts are bytes: an attribute of DynamoDB that is called `B` holds an attribute value, which is an object. */
function bytesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bytesOf);
  // A Uint8Array of its own, as the SDK gives: a Buffer may share its memory with others.
  return typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value;
}

export async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
