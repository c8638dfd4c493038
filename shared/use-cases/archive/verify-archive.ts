/**
 * Verifies the archive: the chain of seals, the objects that they name, and the table's rows.
 *
 * Rows are verified where the table is at hand. Everything that differs is found and named; nothing is believed but
 * the public key and the anchors.
 */
import type { KeyObject } from 'node:crypto';
import { isAnchorName, readAnchor } from '../../domain/archive/anchor.ts';
import {
  archiveLine,
  itemDigest,
  itemKey,
  linesOf,
  nameOf,
  type ObjectSummary,
  type StoredItem,
  summaryOf,
} from '../../domain/archive/lines.ts';
import { SealError } from '../../domain/archive/seal-error.ts';
import { hashOfNote, listName, readList, readNote, type Seal, sealName } from '../../domain/archive/seal-note.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { parseJson } from '../../domain/raw-json.ts';
import type { ArchiveReader } from '../../ports/stores/archive.ts';

export interface Finding {
  /** One of `FINDINGS`. */
  readonly kind: keyof typeof FINDINGS;
  /** The object, entry or seal that it is about. */
  readonly subject: string;
}

/** Kinds of findings, in the words that people read. */
export const FINDINGS = {
  'no-seals': 'holds no seal',
  'seal-missing': 'is missing: a seal was removed',
  'seal-wrong': 'is no seal of this deployment and key',
  'seal-chain': 'does not follow the seal before it',
  'seal-stranger': 'stands among the seals and is none',
  'seals-cut-off': 'is the anchor, and no seal has this hash: the newest seals were cut off, or all were written again',
  'seals-stopped':
    'is the newest seal, and is older than fifteen minutes: seals are no longer written, or were cut off',
  'anchor-wrong': 'is an anchor that the gate took outside, and fits no seal: seals were cut off, or written again',
  'list-missing': 'is a list of objects that a seal names, and is not there',
  'list-wrong': 'is a list of objects, and is not as it was sealed',
  'object-missing': 'is sealed and not there',
  'object-changed': 'is not as it was sealed',
  'object-stranger': 'stands in the archive and is no object of it',
  'object-unsealed': 'is older than ten minutes, and no seal names it',
  'line-wrong': 'holds a line that is no entry',
  'entry-twice': 'was archived twice, with different contents',
  'entry-changed': 'was changed or removed after it was written',
  'entry-misplaced': 'was put where no function of the gate puts such an entry',
  'row-changed': 'stands in the table otherwise than in the archive',
  'row-missing': 'is archived, and is gone from the table',
  'row-unarchived': 'stands in the table, and never reached the archive',
} as const;

/** One sentence on all findings together. */
export function conclusionOf(found: ReadonlyMap<Finding['kind'], number>): string {
  if (!found.size) return 'Nothing was changed.';
  if (found.size === 1 && found.has('no-seals'))
    return 'Nothing is proved: there is no seal. A gate writes its first one within ten minutes; later, its seals were removed.';
  return 'The record was changed.';
}

export interface VerifyOptions {
  readonly deployment: string;
  readonly publicKey: KeyObject;
  /** Hashes of seals that somebody kept outside of the account. */
  readonly anchors?: readonly string[];
  /** All rows of the record's table; absent where only the archive is verified. */
  readonly rows?: AsyncIterable<StoredItem>;
  /** Milliseconds since 1970; absent for a copy, whose newest seal may be of any age. */
  readonly now?: number;
  readonly found: (finding: Finding) => void;
}

export interface Verified {
  readonly seals: number;
  readonly objects: number;
  readonly entries: number;
  readonly rows: number;
  /** Rows from before the archive began, which nothing proves. */
  readonly unproved: number;
  readonly newest?: { readonly number: number; readonly hash: string; readonly at: string };
}

const MINUTE_MS = 60_000;
const UNSEALED_MS = 10 * MINUTE_MS;
const STOPPED_MS = 15 * MINUTE_MS;

export async function verifyArchive(archive: ArchiveReader, options: VerifyOptions): Promise<Verified> {
  const run = new Verification(archive, options);
  await run.seals();
  await run.objects();
  return run.rows();
}

interface UnsealedObject {
  readonly key: string;
  readonly at: number;
  readonly text: string;
}

class Verification {
  readonly #archive: ArchiveReader;
  readonly #options: VerifyOptions;
  readonly #sealed = new Map<string, ObjectSummary>();
  /** Digest of each archived entry by its key. */
  readonly #entries = new Map<string, string>();
  /** Keys of entries whose retention is over: the table has let them go, or will. */
  readonly #over = new Set<string>();
  #newest: { readonly seal: Seal; readonly hash: string } | undefined;
  #began = Number.POSITIVE_INFINITY;

  constructor(archive: ArchiveReader, options: VerifyOptions) {
    this.#archive = archive;
    this.#options = options;
  }

  #found(kind: Finding['kind'], subject: string): void {
    this.#options.found({ kind, subject });
  }

  async seals(): Promise<void> {
    const { deployment, publicKey, anchors = [], now } = this.#options;
    // An anchor is written behind its seal: one that is listed before the seals names a seal that is listed.
    const anchorKeys = await Array.fromAsync(this.#archive.names('anchor/'));
    const hashes = new Map<string, number>();
    let number = 0;
    let previous: string | null = null;
    for await (const key of this.#archive.names('seal/')) {
      const own = /^seal\/(\d{12})$/.exec(key)?.[1];
      if (own === undefined) {
        this.#found('seal-stranger', key);
        continue;
      }
      for (; number < Number(own); number += 1) {
        this.#found('seal-missing', sealName(number));
        // Nothing can be compared with what is gone; the seal behind it stands for itself.
        previous = null;
      }
      const note = (await this.#archive.read(key)) ?? '';
      const hash = hashOfNote(note);
      hashes.set(hash, number);
      const seal = this.#seal(key, note, deployment, publicKey);
      if (seal) {
        const follows = seal.previous === previous || (previous === null && number > 0);
        if (!follows || seal.number !== number || this.#isBefore(seal)) this.#found('seal-chain', key);
        await this.#list(seal);
        this.#newest = { seal, hash };
      }
      previous = hash;
      number += 1;
    }
    if (number === 0) this.#found('no-seals', deployment);
    for (const anchor of anchors) if (!hashes.has(anchor)) this.#found('seals-cut-off', anchor);
    await this.#anchors(anchorKeys, hashes);
    if (this.#newest && now !== undefined && now - Date.parse(this.#newest.seal.at) > STOPPED_MS)
      this.#found('seals-stopped', sealName(this.#newest.seal.number));
  }

  /** The gate's own anchors prove nothing against whoever owns the bucket, who has to change them as well. */
  async #anchors(keys: readonly string[], hashes: ReadonlyMap<string, number>): Promise<void> {
    for (const key of keys) {
      const anchor = readAnchor((await this.#archive.read(key)) ?? '');
      if (!anchor || !isAnchorName(key) || hashes.get(anchor.hash) !== anchor.number) this.#found('anchor-wrong', key);
    }
  }

  #seal(key: string, note: string, deployment: string, publicKey: KeyObject): Seal | undefined {
    try {
      return readNote(note, deployment, publicKey);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      this.#found('seal-wrong', key);
      return undefined;
    }
  }

  /** Whether times run backwards. */
  #isBefore({ at, until }: Seal): boolean {
    const last = this.#newest?.seal;
    return last !== undefined && (at < last.at || until < last.until);
  }

  async #list({ list }: Seal): Promise<void> {
    const name = listName(list);
    const text = list === EMPTY_LIST ? '' : await this.#archive.read(name);
    if (text === undefined) return this.#found('list-missing', name);
    if (sha256Hex(text) !== list) return this.#found('list-wrong', name);
    for (const object of readList(text)) this.#sealed.set(object.key, object);
  }

  async objects(): Promise<void> {
    const unsealed: UnsealedObject[] = [];
    const seen = new Set<string>();
    for (const prefix of ['entry/', 'tamper/'])
      for await (const key of this.#archive.names(prefix)) {
        seen.add(key);
        const object = await this.#object(key);
        if (object) unsealed.push(object);
      }
    for (const key of this.#sealed.keys()) if (!seen.has(key)) this.#found('object-missing', key);
    this.#unsealed(unsealed);
  }

  /** Compares an object with its seal; returns one that no seal names. */
  async #object(key: string): Promise<UnsealedObject | undefined> {
    const name = nameOf(key);
    const text = await this.#archive.read(key);
    const sealed = this.#sealed.get(key);
    if (!name) this.#found('object-stranger', key);
    else if (text === undefined) this.#found('object-missing', key);
    else if (!sealed) return { key, at: name.at, text };
    else if (this.#isAsSealed(sealed, text)) this.#lines(key, text);
    else this.#found('object-changed', key);
    return undefined;
  }

  #unsealed(objects: readonly UnsealedObject[]): void {
    const newest = this.#options.now ?? Date.parse(this.#newest?.seal.at ?? '');
    for (const { key, at, text } of objects) {
      // A batch that came twice: each of its lines is sealed elsewhere.
      const isKnown = this.#isAllKnown(text);
      if (!isKnown && !(newest - at <= UNSEALED_MS)) this.#found('object-unsealed', key);
      if (!isKnown) this.#lines(key, text);
    }
  }

  #isAsSealed({ key, sha256, root, count }: ObjectSummary, text: string): boolean {
    if (sha256Hex(text) !== sha256) return false;
    const summary = summaryOf({ key, text });
    return summary.root === root && summary.count === count;
  }

  #isAllKnown(text: string): boolean {
    try {
      return linesOf(text).every((line) => {
        const read = archiveLine.safeParse(parseJson(line));
        return (
          read.success &&
          read.data.event === 'insert' &&
          this.#entries.get(itemKey(read.data.item)) === itemDigest(read.data.item)
        );
      });
    } catch {
      return false;
    }
  }

  #lines(key: string, text: string): void {
    for (const [index, line] of linesSafely(text).entries()) {
      const read = lineSafely(line);
      if (!read) {
        this.#found('line-wrong', `${key} line ${index + 1}`);
        continue;
      }
      if (read.event === 'modify' || read.event === 'remove') {
        this.#found('entry-changed', itemKey(read.before));
        continue;
      }
      if (read.event === 'misplaced') this.#found('entry-misplaced', itemKey(read.item));
      this.#entry(read.item);
    }
  }

  #entry(item: StoredItem): void {
    const key = itemKey(item);
    const digest = itemDigest(item);
    const before = this.#entries.get(key);
    if (before !== undefined && before !== digest) this.#found('entry-twice', key);
    this.#entries.set(key, digest);
    if (retentionOf(item) <= (this.#options.now ?? 0)) this.#over.add(key);
    this.#began = Math.min(this.#began, timeOf(item) ?? Number.POSITIVE_INFINITY);
  }

  async rows(): Promise<Verified> {
    const { rows, now } = this.#options;
    let count = 0;
    let unproved = 0;
    if (rows) {
      const left = new Set(this.#entries.keys());
      for await (const item of rows) {
        count += 1;
        const key = itemKey(item);
        const archived = this.#entries.get(key);
        left.delete(key);
        if (archived !== undefined) {
          if (archived !== itemDigest(item)) this.#found('row-changed', key);
          continue;
        }
        const at = timeOf(item);
        if (at !== undefined && at < this.#began) unproved += 1;
        else if (at === undefined || now === undefined || now - at > UNSEALED_MS) this.#found('row-unarchived', key);
      }
      for (const key of left) if (!this.#over.has(key)) this.#found('row-missing', key);
    }
    const newest = this.#newest;
    return {
      seals: newest ? newest.seal.number + 1 : 0,
      objects: this.#sealed.size,
      entries: this.#entries.size,
      rows: count,
      unproved,
      ...(newest ? { newest: { number: newest.seal.number, hash: newest.hash, at: newest.seal.at } } : {}),
    };
  }
}

/** The list of a seal without objects. */
const EMPTY_LIST = sha256Hex('');

const linesSafely = (text: string): string[] => {
  try {
    return linesOf(text);
  } catch {
    return [text];
  }
};

function lineSafely(line: string) {
  try {
    const read = archiveLine.parse(parseJson(line));
    itemKey('item' in read ? read.item : read.before);
    return read;
  } catch {
    return undefined;
  }
}

/** Milliseconds since 1970 at which the table may let the entry go; without an end, infinity. */
function retentionOf(item: StoredItem): number {
  const { ttl } = item as { readonly ttl?: { readonly N?: string } };
  return ttl?.N === undefined ? Number.POSITIVE_INFINITY : Number(ttl.N) * 1000;
}

/** When the entry was written, as it says itself. */
function timeOf(item: StoredItem): number | undefined {
  const { at } = item as { readonly at?: { readonly S?: string } };
  const time = Date.parse(at?.S ?? '');
  return Number.isNaN(time) ? undefined : time;
}
