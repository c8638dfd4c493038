/** Tells from the stream of the record what was changed in it: entries are put once, each in the partition of its family. */
import { standsInItsFamily } from './items.ts';

/** The fields that are read of a stream's record. */
export interface StreamRecord {
  readonly eventName?: string | undefined;
  readonly dynamodb?:
    | { readonly Keys?: Readonly<Record<string, { readonly S?: string | undefined }>> | undefined }
    | undefined;
  readonly userIdentity?: { readonly type?: string; readonly principalId?: string } | undefined;
}

export interface RecordChange {
  readonly change: 'modified' | 'removed' | 'misplaced';
  readonly partition: string;
  readonly sort: string;
}

/** Returns the change of an entry, or undefined if nothing was changed. A removal by DynamoDB's own time to live is no change. */
export function changeOfRecord({ eventName, dynamodb, userIdentity }: StreamRecord): RecordChange | undefined {
  const { pk, sk } = dynamodb?.Keys ?? {};
  const key = { partition: pk?.S ?? '', sort: sk?.S ?? '' };
  switch (eventName) {
    case 'INSERT':
      return standsInItsFamily(key.partition, key.sort, true) ? undefined : { change: 'misplaced', ...key };
    case 'REMOVE':
      return isByService(userIdentity) ? undefined : { change: 'removed', ...key };
    default:
      // An unknown event is looked into, too.
      return { change: 'modified', ...key };
  }
}

const isByService = (by: StreamRecord['userIdentity']): boolean =>
  by?.type === 'Service' && by.principalId === 'dynamodb.amazonaws.com';
