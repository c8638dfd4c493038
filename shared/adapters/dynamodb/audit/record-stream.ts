/** Reads the stream of the record: new entries, and changes of entries, which are put once. */
import type { ArchiveLine, StoredItem } from '../../../domain/archive/lines.ts';
import { standsInItsFamily } from '../items.ts';

/** The fields that are read of a stream's record: images in attribute-value JSON, bytes in base64. */
export interface StreamRecord {
  readonly eventName?: string | undefined;
  readonly dynamodb?:
    | {
        readonly Keys?: StoredItem | undefined;
        readonly OldImage?: StoredItem | undefined;
        readonly NewImage?: StoredItem | undefined;
        readonly SequenceNumber?: string | undefined;
      }
    | undefined;
  readonly userIdentity?: { readonly type?: string; readonly principalId?: string } | undefined;
}

/** Makes a line of the archive. Undefined where DynamoDB itself removed an entry whose time was over, which is no change. */
export function archiveLineOf({ eventName, dynamodb = {}, userIdentity }: StreamRecord): ArchiveLine | undefined {
  const { Keys = {}, OldImage = Keys, NewImage = Keys, SequenceNumber: seq = '0' } = dynamodb;
  switch (eventName) {
    case 'INSERT':
      return {
        event: standsInItsFamily(textOf(Keys['pk']), textOf(Keys['sk']), true) ? 'insert' : 'misplaced',
        seq,
        item: NewImage,
      };
    case 'REMOVE':
      return isByService(userIdentity) ? undefined : { event: 'remove', seq, before: OldImage };
    default:
      // An unknown event is looked into, too.
      return { event: 'modify', seq, before: OldImage, item: NewImage };
  }
}

const textOf = (value: unknown): string => (value as { readonly S?: string } | undefined)?.S ?? '';

const isByService = (by: StreamRecord['userIdentity']): boolean =>
  by?.type === 'Service' && by.principalId === 'dynamodb.amazonaws.com';

/** A row of the table as the stream brings it: bytes in base64. */
export const asStreamed = (item: Readonly<Record<string, unknown>>): StoredItem =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [key, streamed(value)]));

function streamed(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(streamed);
  return typeof value === 'object' && value !== null ? asStreamed(value as Record<string, unknown>) : value;
}
