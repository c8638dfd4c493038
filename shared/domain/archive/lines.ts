/** Names and writes objects of the archive: lines of canonical JSON, one for each entry. */
import * as z from 'zod';
import { canonicalJson, sha256Hex } from '../digest.ts';
import { leafHash, rootOf } from './merkle.ts';

/** An item of the record in DynamoDB's attribute-value JSON, bytes in base64: exactly what stands in the table. */
const item = z.record(z.string(), z.unknown());
export type StoredItem = z.infer<typeof item>;

const seq = z.string().regex(/^\d{1,40}$/);

/** One line. `insert` is how entries come; everything else is a change of what must not change. */
export const archiveLine = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('insert'), seq, item }),
  z.strictObject({ event: z.literal('misplaced'), seq, item }),
  z.strictObject({ event: z.literal('modify'), seq, before: item, item }),
  z.strictObject({ event: z.literal('remove'), seq, before: item }),
]);
export type ArchiveLine = z.infer<typeof archiveLine>;

/** Entries, and changes of entries, in objects of their own. */
export const KINDS = ['entry', 'tamper'] as const;
export type ArchiveKind = (typeof KINDS)[number];

/** One object, as a seal lists it. */
export interface ObjectSummary {
  readonly key: string;
  /** Digest of the object's bytes, in hex. */
  readonly sha256: string;
  /** Merkle root of its lines, in hex. */
  readonly root: string;
  readonly count: number;
}

interface ArchiveObject {
  readonly key: string;
  readonly text: string;
}

/**
 * Builds the object of one batch. The name of the object begins with the minute of the write, so that new objects sort behind those that a seal holds
 * already. The sequence numbers of the first and last line follow.
 *
 * @param lines at least one, in the order of the stream
 * @param now milliseconds since 1970
 */
export function archiveObject(kind: ArchiveKind, lines: readonly ArchiveLine[], now: number): ArchiveObject {
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last) throw new Error('an object of the archive holds at least one line');
  return {
    key: `${kind}/${minuteOf(now)}/${first.seq}-${last.seq}.jsonl`,
    text: lines.map((line) => `${canonicalJson(line)}\n`).join(''),
  };
}

/** The minute of a time as it stands in names of objects, which become names of files: `2026-11-23T0517Z`. */
export const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace(':', '')}Z`;

const NAME = /^(entry|tamper)\/(\d{4}-\d\d-\d\dT\d{4}Z)\/(\d{1,40})-(\d{1,40})\.jsonl$/;

/** Kind and minute of an object's name; undefined if it is none. */
export function nameOf(key: string): { readonly kind: ArchiveKind; readonly at: number } | undefined {
  const [, kind, minute = ''] = NAME.exec(key) ?? [];
  const at = Date.parse(`${minute.slice(0, 13)}:${minute.slice(13)}`);
  return kind === undefined || Number.isNaN(at) ? undefined : { kind: kind as ArchiveKind, at };
}

/** Lines of an object's text. A text that ends within a line has one more, so that whatever somebody put there is sealed and shown. */
export const linesOf = (text: string): string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');

export function summaryOf({ key, text }: ArchiveObject): ObjectSummary {
  const lines = linesOf(text);
  return { key, sha256: sha256Hex(text), root: rootOf(lines.map(leafHash)), count: lines.length };
}

/** The entry's key in the table, which identifies it among all entries. @throws Error if the item has none. */
export function itemKey(stored: StoredItem): string {
  const { pk, sk } = stored as { readonly pk?: { readonly S?: string }; readonly sk?: { readonly S?: string } };
  if (typeof pk?.S !== 'string' || typeof sk?.S !== 'string') throw new Error('an item of the record has no key');
  return JSON.stringify([pk.S, sk.S]);
}

/** Digest of an item, the same for what the stream brought and for what stands in the table. */
export const itemDigest = (stored: StoredItem): string => sha256Hex(canonicalJson(stored));
