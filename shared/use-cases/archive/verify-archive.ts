/**
 * Verifies the archive: the chain of seals, the objects that they name, and the table's rows.
 *
 * Rows are verified where the table is at hand. Everything that differs is found and named; nothing is believed but
 * the public key and the anchors.
 */
import type { KeyObject } from 'node:crypto';
import { type Anchor, anchorName, readAnchor, toldName } from '../../domain/archive/anchor.ts';
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
import { MAX_ARCHIVE_DELAY_MS, MIN_RETENTION_MS } from '../../domain/record/retention.ts';
import type { ArchiveReader } from '../../ports/stores/archive.ts';
import { compareTexts, type NamedTexts } from './compare-texts.ts';
import type { Finding } from './findings.ts';

interface VerifyOptions {
  readonly deployment: string;
  readonly publicKey: KeyObject;
  /** Hashes of seals that somebody kept outside of the account. */
  readonly anchors?: readonly string[];
  /** All rows of the record's table; absent where only the archive is verified. */
  readonly rows?: AsyncIterable<StoredItem>;
  /** Texts that stand apart from the rows that name them; absent where they are not compared. */
  readonly texts?: NamedTexts;
  /** Milliseconds since 1970; absent for a copy, whose newest seal may be of any age. A large record takes hours, and the gate goes on sealing. */
  readonly now?: () => number;
  readonly found: (finding: Finding) => void;
}

export interface Verified {
  readonly seals: number;
  readonly objects: number;
  readonly entries: number;
  readonly rows: number;
  readonly texts: number;
  /** Texts that are missing, of entries so old that their bucket may have let them go. */
  readonly expired: number;
  /** Rows from before the archive began, which nothing proves. */
  readonly unproved: number;
  readonly newest?: { readonly number: number; readonly hash: string; readonly at: string };
}

const MINUTE_MS = 60_000;
const UNSEALED_MS = 10 * MINUTE_MS;
const STOPPED_MS = 15 * MINUTE_MS;
/** An anchor is fixed by the run that wrote its seal. */
const ANCHORED_MS = 15 * MINUTE_MS;
/** A verification ends within this. */
const LONGEST_MS = 24 * 60 * MINUTE_MS;

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
  /** By their keys, when the retention of entries ends that is over, or ends while this runs: the table lets them go. */
  readonly #ends = new Map<string, number>();
  readonly #start: number | undefined;
  #newest: { readonly seal: Seal; readonly hash: string } | undefined;
  #began = Number.POSITIVE_INFINITY;
  #isSealed = false;

  constructor(archive: ArchiveReader, options: VerifyOptions) {
    this.#archive = archive;
    this.#options = options;
    this.#start = options.now?.();
  }

  #found(kind: Finding['kind'], subject: string): void {
    this.#options.found({ kind, subject });
  }

  async seals(): Promise<void> {
    const { deployment, publicKey, anchors = [] } = this.#options;
    // An anchor is written behind its seal: one that is listed before the seals names a seal that is listed.
    const anchorKeys = await Array.fromAsync(this.#archive.names('anchor/'));
    const hashes = new Map<string, Pick<Seal, 'number' | 'at'>>();
    let number = 0;
    let previous: string | null = null;
    for await (const key of this.#archive.names('seal/')) {
      const own = /^seal\/(\d{12})$/.exec(key)?.[1];
      if (own === undefined) {
        this.#found('seal-stranger', key);
        continue;
      }
      if (number < Number(own)) {
        this.#missing(number, Number(own) - 1);
        number = Number(own);
        // Nothing can be compared with what is gone; the seal behind it stands for itself.
        previous = null;
      }
      const note = (await this.#archive.read(key)) ?? '';
      const hash = hashOfNote(note);
      const seal = this.#seal(key, note, deployment, publicKey);
      hashes.set(hash, { number, at: seal?.at ?? '' });
      if (seal) {
        const follows = seal.previous === previous || (previous === null && number > 0);
        if (!follows || seal.number !== number || this.#isBefore(seal)) this.#found('seal-chain', key);
        this.#early(key, seal);
        await this.#list(seal, follows);
        this.#newest = { seal, hash };
      }
      previous = hash;
      number += 1;
    }
    if (number === 0) this.#found('no-seals', deployment);
    this.#isSealed = number > 0;
    for (const anchor of anchors) if (!hashes.has(anchor)) this.#found('seals-cut-off', anchor);
    await this.#anchors(anchorKeys, hashes);
    if (this.#newest && this.#start !== undefined && this.#start - Date.parse(this.#newest.seal.at) > STOPPED_MS)
      this.#found('seals-stopped', sealName(this.#newest.seal.number));
  }

  /** The gate's own anchors prove nothing against whoever owns the bucket, who has to change them as well. */
  async #anchors(keys: readonly string[], seals: ReadonlyMap<string, Pick<Seal, 'number' | 'at'>>): Promise<void> {
    for (const key of keys) {
      const anchor = readAnchor((await this.#archive.read(key)) ?? '');
      const seal = anchor && seals.get(anchor.hash);
      if (!seal || seal.number !== anchor.number || !isAnchorOf(key, anchor, seal)) this.#found('anchor-wrong', key);
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

  /** One finding for all in a row: a name that somebody put far ahead would make one for each of a billion. */
  #missing(first: number, last: number): void {
    const from = sealName(first);
    this.#found('seal-missing', first === last ? from : `${from} to ${sealName(last)}`);
  }

  /** Whether times run backwards, or the seal says to cover what was not written yet. */
  #isBefore({ at, until }: Seal): boolean {
    const last = this.#newest?.seal;
    return until > at || (last !== undefined && (at < last.at || until < last.until));
  }

  #early(key: string, { at }: Seal): void {
    const now = this.#options.now?.();
    if (now !== undefined && Date.parse(at) - now > STOPPED_MS) this.#found('seal-early', key);
  }

  /** Each seal lists the objects of its own minutes, so that no object is sealed once more after it was changed. */
  async #list({ list, until }: Seal, follows: boolean): Promise<void> {
    const name = listName(list);
    const text = list === EMPTY_LIST ? '' : await this.#archive.read(name);
    if (text === undefined) return this.#found('list-missing', name);
    const objects = sha256Hex(text) === list ? listSafely(text) : undefined;
    if (!objects) return this.#found('list-wrong', name);
    const from = Date.parse(this.#newest?.seal.until ?? '') || 0;
    for (const object of objects) {
      const at = nameOf(object.key)?.at ?? from;
      const before = this.#sealed.get(object.key);
      // The chain itself tells of seals that changed places.
      const isElsewhere = follows && (at < from || at >= Date.parse(until));
      if (isElsewhere || (before && before.sha256 !== object.sha256)) this.#found('object-resealed', object.key);
      else this.#sealed.set(object.key, object);
    }
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
    else if (this.#isAsSealed(sealed, text)) this.#lines(key, text, name.at);
    else this.#found('object-changed', key);
    return undefined;
  }

  #unsealed(objects: readonly UnsealedObject[]): void {
    const newest = this.#start ?? Date.parse(this.#newest?.seal.at ?? '');
    // In a copy without a seal nothing tells how old an object is, and `no-seals` says all of it.
    const hasTime = this.#start !== undefined || this.#isSealed;
    for (const { key, at, text } of objects) {
      // A batch that came twice: each of its lines is sealed elsewhere.
      const isKnown = this.#isAllKnown(text);
      if (!isKnown && hasTime && !(newest - at <= UNSEALED_MS)) this.#found('object-unsealed', key);
      if (!isKnown) this.#lines(key, text, at);
    }
  }

  #isAsSealed({ key, sha256, root, count }: ObjectSummary, text: string): boolean {
    if (sha256Hex(text) !== sha256) return false;
    const summary = summaryOf({ key, text });
    return summary.root === root && summary.count === count;
  }

  #isAllKnown(text: string): boolean {
    return linesOf(text).every((line) => {
      const read = lineSafely(line);
      return read?.event === 'insert' && this.#entries.get(itemKey(read.item)) === itemDigest(read.item);
    });
  }

  /** @param at when the lines were archived, milliseconds since 1970 */
  #lines(key: string, text: string, at: number): void {
    for (const [index, line] of linesOf(text).entries()) {
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
      this.#entry(read.item, at);
    }
  }

  #entry(item: StoredItem, archivedAt: number): void {
    const key = itemKey(item);
    const digest = itemDigest(item);
    const before = this.#entries.get(key);
    if (before !== undefined && before !== digest) this.#found('entry-twice', key);
    this.#entries.set(key, digest);
    const retention = retentionOf(item);
    // The gate writes no shorter one: an entry that says so of itself would never be missed in the table.
    const isOwn = retention >= archivedAt + MIN_RETENTION_MS - MAX_ARCHIVE_DELAY_MS;
    if (isOwn && this.#start !== undefined && retention <= this.#start + LONGEST_MS) this.#ends.set(key, retention);
    this.#began = Math.min(this.#began, timeOf(item) ?? Number.POSITIVE_INFINITY);
  }

  #isOver(key: string): boolean {
    return (this.#ends.get(key) ?? Number.POSITIVE_INFINITY) <= (this.#options.now?.() ?? 0);
  }

  /** Compares a row with the archive. `unproved`: it is older than the archive. */
  #row(item: StoredItem): 'compared' | 'unproved' {
    const now = this.#start;
    const key = itemKey(item);
    const archived = this.#entries.get(key);
    if (archived !== undefined) {
      if (archived !== itemDigest(item)) this.#found('row-changed', key);
      return 'compared';
    }
    const at = timeOf(item);
    if (at !== undefined && at < this.#began) return 'unproved';
    if (at === undefined || now === undefined || now - at > UNSEALED_MS) this.#found('row-unarchived', key);
    return 'compared';
  }

  /** A text goes after the last entry that names it, which DynamoDB removes some days late. */
  #textsOf(item: StoredItem): readonly string[] {
    return this.#isOver(itemKey(item)) ? [] : (this.#options.texts?.namedBy(item) ?? []);
  }

  async rows(): Promise<Verified> {
    const { rows } = this.#options;
    let count = 0;
    let unproved = 0;
    const named = new Map<string, number>();
    if (rows) {
      const left = new Set(this.#entries.keys());
      for await (const item of rows) {
        count += 1;
        left.delete(itemKey(item));
        if (this.#row(item) === 'unproved') unproved += 1;
        else
          for (const name of this.#textsOf(item))
            named.set(name, Math.max(named.get(name) ?? 0, timeOf(item) ?? Number.POSITIVE_INFINITY));
      }
      for (const key of left) if (!this.#isOver(key)) this.#found('row-missing', key);
    }
    const { texts } = this.#options;
    const gone = (name: string) => this.#found('text-gone', name);
    const expired = texts ? await compareTexts(named, texts, this.#start ?? 0, gone) : 0;
    const newest = this.#newest;
    return {
      seals: newest ? newest.seal.number + 1 : 0,
      objects: this.#sealed.size,
      entries: this.#entries.size,
      rows: count,
      texts: named.size,
      expired,
      unproved,
      ...(newest ? { newest: { number: newest.seal.number, hash: newest.hash, at: newest.seal.at } } : {}),
    };
  }
}

/** The list of a seal without objects. */
const EMPTY_LIST = sha256Hex('');

function listSafely(text: string): ObjectSummary[] | undefined {
  try {
    return readList(text);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return undefined;
  }
}

/** Whether the anchor is of the day of its name, and was fixed when its seal was written: an older seal proves less than people believe. */
function isAnchorOf(key: string, { at }: Anchor, seal: Pick<Seal, 'at'>): boolean {
  const own = anchorName(Date.parse(at));
  return (key === own || key === toldName(own)) && Math.abs(Date.parse(at) - Date.parse(seal.at)) <= ANCHORED_MS;
}

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
