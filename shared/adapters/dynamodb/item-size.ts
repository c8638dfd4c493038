/** Computes the size of an item by DynamoDB's documented rules, and the write units that it costs. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type StoredItem = Readonly<Record<string, AttributeValue>>;

const WRITE_BYTES = 1024;

/** Bytes of names and values; a map or list costs three more, and one for each of its elements. */
export function itemBytes(item: StoredItem | undefined): number {
  return Object.entries(item ?? {}).reduce((bytes, [name, value]) => bytes + text(name) + valueBytes(value), 0);
}

export const unitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / WRITE_BYTES));

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return text(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.replace(/\D/g, '').length / 2) + 1;
  if (value.B !== undefined) return value.B.byteLength;
  if (value.L !== undefined) return value.L.reduce((bytes, one) => bytes + 1 + valueBytes(one), 3);
  if (value.M !== undefined) {
    return Object.entries(value.M).reduce((bytes, [name, one]) => bytes + 1 + text(name) + valueBytes(one), 3);
  }
  return 1;
}

const text = (value: string): number => Buffer.byteLength(value);
