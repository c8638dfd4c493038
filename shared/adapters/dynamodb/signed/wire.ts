/** Writes and reads the JSON of DynamoDB: attribute values as the SDK has them, bytes as Base64. */

import { ownValue } from '../../../domain/own.ts';

export const toWire = (input: object): string => JSON.stringify(input, bytesAsText);

export function fromWire(text: string): Record<string, unknown> {
  const value: unknown = text === '' ? {} : JSON.parse(text, textAsBytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no JSON object');
  return value as Record<string, unknown>;
}

/** Of the value as it was: `value` has passed a Buffer's own `toJSON`. */
function bytesAsText(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const given = ownValue(this, key);
  return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value;
}

/** An attribute that is called `B` or `BS` holds an attribute value, which is an object, never a text or texts. */
function textAsBytes(key: string, value: unknown): unknown {
  if (key === 'B' && typeof value === 'string') return bytesOf(value);
  if (key === 'BS' && Array.isArray(value))
    return value.map((each) => (typeof each === 'string' ? bytesOf(each) : each));
  return value;
}

/** A Uint8Array of its own, as the SDK gives: a Buffer may share its memory with others. */
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

export async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
