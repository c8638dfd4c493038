/** Decides which texts of an entry its item holds, and stores the others under their digests. */
import { sha256Hex } from '../../../domain/digest.ts';
import type { AuditRecord } from '../../../ports/stores/audit-log.ts';
import type { InputStore } from '../../../ports/stores/input-store.ts';
import { itemBytes, unitsOf } from '../item-size.ts';
import { auditItem, type Beside } from './audit-item.ts';

/**
 * The write units that a text may cost within the item. A put to S3 costs as much as eight units and delays the decision, but the item is
 * stored for the whole retention: there a second KB of text would cost more than S3.
 */
const MAX_TEXT_UNITS = 1;

/** Texts of an entry, and where it names the digest of one that stands elsewhere. */
const TEXTS = [
  ['proposal', 'proposalDigest'],
  ['asked', 'askedDigest'],
] as const;

/** The record as it is put: a text for which the item would cost more than one further write unit is stored under its digest first. */
export async function withTextsStored(
  record: AuditRecord,
  inputs: InputStore,
  more: Beside = {},
): Promise<AuditRecord> {
  const units = (one: AuditRecord) => unitsOf(itemBytes(auditItem(one, more)));
  const texts = TEXTS.flatMap(([name, digestName]) => {
    const text = record.entry[name];
    return text === undefined ? [] : [{ name, digestName, text, digest: sha256Hex(text) }];
  });
  const bare = { ...record.entry };
  for (const { name } of texts) delete bare[name];
  const aside = Object.fromEntries(texts.map(({ digestName, digest }) => [digestName, digest]));
  let stored: AuditRecord = { ...record, entry: { ...bare, ...aside } };
  for (const { name, digestName, text, digest } of texts) {
    const { [digestName]: _, ...rest } = stored.entry;
    const within = { ...stored, entry: { ...rest, [name]: text } };
    if (units(within) <= units(stored) + MAX_TEXT_UNITS) stored = within;
    else await inputs.put(digest, text, 'record');
  }
  return stored;
}
