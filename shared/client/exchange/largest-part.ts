/** Names the part of a message that makes it too large, so that its sender knows what to shorten. */
import { type Fault, fault } from '../../domain/errors.ts';
import { printable } from '../../domain/raw-json.ts';

/** The fault of a message that has more than `maxBytes`, with the innermost part that has over half of its bytes as the field. */
export function tooLarge(message: unknown, maxBytes: number): Fault {
  const field = largestPart(message, bytesOf(message) / 2).replace(/^\./, '');
  const problem = `the message has more than ${maxBytes} bytes`;
  return fault('too_large', field, field ? `has most of the bytes, and ${problem}: ${NEXT}` : `${problem}: ${NEXT}`);
}

const NEXT = 'shorten it, or send it in parts';

function largestPart(value: unknown, half: number): string {
  if (typeof value !== 'object' || value === null) return '';
  for (const [key, part] of Object.entries(value))
    if (bytesOf(part) > half)
      return `${Array.isArray(value) ? `[${key}]` : `.${printable(key)}`}${largestPart(part, half)}`;
  return '';
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
