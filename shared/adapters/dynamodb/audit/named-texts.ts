/** Lists the texts that an item of the record names by their digests. */
import type { StoredItem } from '../../../domain/archive/lines.ts';
import type { TextKind } from '../../../ports/stores/input-store.ts';

/** Fields of an entry, and where their texts stand. */
const KINDS = { proposalDigest: 'record', askedDigest: 'record', shownDigest: 'shown' } as const satisfies Record<
  string,
  TextKind
>;

interface NamedText {
  readonly digest: string;
  readonly kind: TextKind;
}

/** @param item - as the stream brought it: digests are bytes, in base64 */
export function textsNamedBy(item: StoredItem): readonly NamedText[] {
  // Fields that an earlier release does not know stand beside the entry.
  return ['entry', 'told'].flatMap((part) => {
    const { M: fields = {} } = (item[part] ?? {}) as { readonly M?: Readonly<Record<string, { readonly B?: string }>> };
    return Object.entries(KINDS).flatMap(([name, kind]) => {
      const { B: bytes } = (Object.hasOwn(fields, name) ? fields[name] : undefined) ?? {};
      return bytes === undefined ? [] : [{ digest: Buffer.from(bytes, 'base64').toString('hex'), kind }];
    });
  });
}
