/**
 * Proves single entries of the archive.
 *
 * A proof has the entry's position in an object, the list that names the object, and the seal that signs the list.
 */
import type { KeyObject } from 'node:crypto';
import { archiveLine, itemKey, linesOf, minuteOf, nameOf, type ObjectSummary } from '../../domain/archive/lines.ts';
import { leafHash, proofOf } from '../../domain/archive/merkle.ts';
import { listName, readList, readNote, sealName } from '../../domain/archive/seal-note.ts';
import { parseJson } from '../../domain/raw-json.ts';
import { MAX_ARCHIVE_DELAY_MS } from '../../domain/record/retention.ts';
import type { ArchiveReader } from '../../ports/stores/archive.ts';

export interface EntryProof {
  /** The line of the object, with the item as it stands in the table. */
  readonly line: string;
  readonly object: ObjectSummary;
  /** Position of the line in its object, from 0. */
  readonly index: number;
  /** Siblings from the line up to the root, in hex (RFC 6962). */
  readonly proof: readonly string[];
  /** Text of the list that names the object. */
  readonly list: string;
  /** The signed note that names the list. */
  readonly seal: string;
}

interface ProofOptions {
  readonly deployment: string;
  readonly publicKey: KeyObject;
  /** The number of the newest seal. */
  readonly newest: number;
}

const MINUTE_MS = 60_000;

/**
 * Finds the entries by their keys.
 *
 * @param wanted keys as `itemKey` makes them
 * @param since the earliest time at which one of them was written, milliseconds since 1970
 * @returns a proof for each that is sealed; one that is missing is not sealed yet
 * @throws SealError if a seal on the way is not of this deployment and key
 */
export async function proveEntries(
  archive: ArchiveReader,
  wanted: ReadonlySet<string>,
  since: number,
  { deployment, publicKey, newest }: ProofOptions,
): Promise<EntryProof[]> {
  const left = new Set(wanted);
  const proofs: EntryProof[] = [];
  for await (const key of archive.names('entry/', `entry/${minuteOf(since - MINUTE_MS)}`)) {
    const at = nameOf(key)?.at;
    if (at === undefined || left.size === 0 || at > since + MAX_ARCHIVE_DELAY_MS) break;
    const text = (await archive.read(key)) ?? '';
    const lines = linesOf(text);
    const found = lines.flatMap((line, index) => {
      const name = keyOfLine(line);
      return name !== undefined && left.has(name) ? [{ name, line, index }] : [];
    });
    if (!found.length) continue;
    const sealed = await sealOf(archive, key, at, { deployment, publicKey, newest });
    // The same lines may come again in an object that a seal names.
    if (!sealed) continue;
    const leaves = lines.map(leafHash);
    for (const { name, line, index } of found) {
      proofs.push({ line, index, proof: proofOf(leaves, index), ...sealed });
      left.delete(name);
    }
  }
  return proofs;
}

function keyOfLine(line: string): string | undefined {
  const read = archiveLine.safeParse(parseJson(line));
  return read.success && read.data.event === 'insert' ? itemKey(read.data.item) : undefined;
}

/** The first seal whose time covers the object's minute names it, or none does. */
async function sealOf(
  archive: ArchiveReader,
  key: string,
  at: number,
  { deployment, publicKey, newest }: ProofOptions,
): Promise<Pick<EntryProof, 'object' | 'list' | 'seal'> | undefined> {
  const read = async (number: number) => {
    const seal = (await archive.read(sealName(number))) ?? '';
    return { seal, ...readNote(seal, deployment, publicKey) };
  };
  let low = 0;
  let high = newest;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (Date.parse((await read(middle)).until) > at) high = middle;
    else low = middle + 1;
  }
  const { seal, list } = await read(low);
  const text = (await archive.read(listName(list))) ?? '';
  const object = readList(text).find((one) => one.key === key);
  return object && { object, list: text, seal };
}
