/** Computes DynamoDB's bill for an item: the units of reads and writes. */
import { itemBytes, type StoredItem, unitsOf } from '../../../shared/adapters/dynamodb/item-size.ts';

export { itemBytes, type StoredItem };

const READ_BYTES = 4096;

/** A write bills the larger of the item before and after, by the KB, and at least one unit. */
export const writeUnits = (before: StoredItem | undefined, after: StoredItem | undefined): number =>
  unitsOf(Math.max(itemBytes(before), itemBytes(after)));

/** A consistent read of what is or is not there; any other is half of it. */
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
