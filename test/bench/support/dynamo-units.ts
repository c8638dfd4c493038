/** Computes DynamoDB's bill for an item: its size by the documented rules, and the units of reads and writes. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type StoredItem = Readonly<Record<string, AttributeValue>>;

const WRITE_BYTES = 1024;
const READ_BYTES = 4096;

/** Bytes of names and values; a map or list costs three more, and one for each of its elements. */
export function itemBytes(item: StoredItem | undefined): number {
  return Object.entries(item ?? {}).reduce((bytes, [name, value]) => bytes + text(name) + valueBytes(value), 0);
}

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

/** A write bills the larger of the item before and after, by the KB, and at least one unit. */
export const writeUnits = (before: StoredItem | undefined, after: StoredItem | undefined): number =>
  Math.max(1, Math.ceil(Math.max(itemBytes(before), itemBytes(after)) / WRITE_BYTES));

/** A consistent read of what is or is not there. */
export const readUnits = (items: readonly (StoredItem | undefined)[]): number =>
  Math.max(1, Math.ceil(items.reduce((bytes, item) => bytes + itemBytes(item), 0) / READ_BYTES));

export interface IndexShape {
  readonly partition: string;
  readonly sort: string;
  /** Besides the keys. */
  readonly attributes: 'all' | readonly string[];
}

/** Units of a write in an index: none if its entry is unchanged, two writes if the entry moves. */
export function indexUnits(
  { partition, sort, attributes }: IndexShape,
  before: StoredItem | undefined,
  after: StoredItem | undefined,
): number {
  const entry = (item: StoredItem | undefined): StoredItem | undefined => {
    if (!item?.[partition] || !item[sort]) return undefined;
    if (attributes === 'all') return item;
    const names = ['pk', 'sk', partition, sort, ...attributes];
    return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
  };
  const was = entry(before);
  const is = entry(after);
  if (!was || !is) return was || is ? writeUnits(was, is) : 0;
  if (JSON.stringify(was) === JSON.stringify(is)) return 0;
  const place = (item: StoredItem) => JSON.stringify([item[partition], item[sort]]);
  return place(was) === place(is) ? writeUnits(was, is) : writeUnits(was, undefined) + writeUnits(is, undefined);
}
