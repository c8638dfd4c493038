/** Tells entries of the release before, which put every entry beside the decisions. */
import type { StoredItem } from '../../../domain/archive/lines.ts';
import { knownFamilyOf } from '../../../ports/stores/audit-log.ts';
import { type Item, standsInItsFamily } from '../items.ts';
import { recordFromItem } from './audit-item.ts';

/** Whether an entry of the stream stands where that release put it, and can be read. */
export function isOfEarlierLayout(image: StoredItem): boolean {
  const item = fromStream(image) as Item;
  const sort = item['sk']?.S ?? '';
  return standsInItsFamily(item['pk']?.S ?? '', sort) && knownFamilyOf(sort) !== undefined && isEntry(item);
}

function isEntry(item: Item): boolean {
  try {
    recordFromItem(item);
    return true;
  } catch {
    return false;
  }
}

/** A value of the stream as the table's client reads it: bytes are in base64 there. */
function fromStream(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromStream);
  if (typeof value !== 'object' || value === null) return value;
  // Only an attribute of bytes has a text under this name: the names of a map stand over attributes.
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === 'B' && typeof one === 'string' ? new Uint8Array(Buffer.from(one, 'base64')) : fromStream(one),
    ]),
  );
}
