/**
 * Seals what the archive holds since the last seal.
 *
 * Runs every five minutes, also when nothing came; safe to run twice at once.
 */
import { KINDS, minuteOf, nameOf, type ObjectSummary, summaryOf } from '../../domain/archive/lines.ts';
import {
  hashOfNote,
  listName,
  noteOf,
  readNote,
  type Seal,
  sealName,
  textOfList,
  textOfSeal,
} from '../../domain/archive/seal-note.ts';
import { sha256Hex } from '../../domain/digest.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Archive, ArchiveReader, SealSigner } from '../../ports/stores/archive.ts';

interface SealDependencies {
  readonly archive: Archive;
  readonly signer: SealSigner;
  readonly clock: Clock;
  readonly deployment: string;
}

export interface WrittenSeal {
  readonly number: number;
  /** The hash of the note, in hex, as an anchor outside of the account holds it. */
  readonly hash: string;
  readonly objects: number;
  readonly entries: number;
  readonly changes: number;
  /** Newer objects than one seal takes are waiting for the next. */
  readonly hasMore: boolean;
}

/** An object that was begun in a minute is written by then, whatever its function had to wait for. */
const WRITTEN_MS = 3 * 60_000;
/** More are sealed by the next seal. */
const MAX_OBJECTS = 2_000;
/** Objects that are read at once. */
const AT_ONCE = 20;

/**
 * @param hint number of a seal that is known to be there, so that the newest is found with few reads
 * @returns undefined if another run wrote the seal of this number
 * @throws SealError if the newest seal is not of this key or deployment
 */
export async function writeSeal(gate: SealDependencies, hint = 0): Promise<WrittenSeal | undefined> {
  const { archive, signer, clock, deployment } = gate;
  const publicKey = await signer.publicKey();
  const now = clock.now();
  const before = await newestSeal(archive, hint);
  const last = before && readNote(before.note, deployment, publicKey);
  const from = last ? Date.parse(last.until) : 0;
  const to = Math.max(from, Math.floor((now - WRITTEN_MS) / 60_000) * 60_000);
  const { keys, until, more } = await newObjects(archive, from, to);
  const objects = await summaries(archive, keys);
  const text = textOfList(objects);
  const list = sha256Hex(text);
  // The list is named by its hash, so that what a crash left here is the same list, or nobody's.
  if (objects.length) await archive.put(listName(list), text);
  const seal: Seal = {
    deployment,
    number: last ? last.number + 1 : 0,
    // The seal before it may be of a run that began later, or whose clock is ahead.
    at: new Date(Math.max(now, last ? Date.parse(last.at) : 0)).toISOString(),
    until: new Date(until).toISOString(),
    previous: before ? hashOfNote(before.note) : null,
    list,
  };
  const note = noteOf(seal, await signer.sign(textOfSeal(seal)), publicKey);
  if (!(await archive.put(sealName(seal.number), note))) return undefined;
  const countOf = (kind: string) =>
    objects.reduce((sum, { key, count }) => (nameOf(key)?.kind === kind ? sum + count : sum), 0);
  return {
    number: seal.number,
    hash: hashOfNote(note),
    objects: objects.length,
    entries: countOf('entry'),
    changes: countOf('tamper'),
    hasMore: more,
  };
}

/** The newest seal. Numbers have no gaps, so that the last one is found by halving. */
export async function newestSeal(
  archive: ArchiveReader,
  hint = 0,
): Promise<{ readonly number: number; readonly note: string } | undefined> {
  const at = (number: number) => archive.read(sealName(number));
  let number = hint;
  let note = await at(number);
  if (note === undefined && hint > 0) {
    number = 0;
    note = await at(number);
  }
  if (note === undefined) return undefined;
  let step = 1;
  for (let next = await at(number + step); next !== undefined; next = await at(number + step)) {
    number += step;
    note = next;
    step *= 2;
  }
  // There is none at `number + step`, and whatever is between may be there.
  for (step /= 2; step >= 1; step /= 2) {
    const next = await at(number + step);
    if (next === undefined) continue;
    number += step;
    note = next;
  }
  return { number, note };
}

/** Names of the objects of the minutes from `from` until `to`, whole minutes of them only, as many as one seal takes. */
async function newObjects(archive: ArchiveReader, from: number, to: number) {
  const byMinute = new Map<number, string[]>();
  let end = to;
  for (const kind of KINDS) {
    let seen = 0;
    let minute = from;
    for await (const key of archive.names(`${kind}/`, `${kind}/${minuteOf(from)}`)) {
      const at = nameOf(key)?.at;
      // Something else under such a name is for `verify` to find.
      if (at === undefined) continue;
      if (at >= end) break;
      if (seen >= MAX_OBJECTS && at !== minute) {
        end = at;
        break;
      }
      minute = at;
      byMinute.set(at, [...(byMinute.get(at) ?? []), key]);
      seen += 1;
    }
  }
  const keys: string[] = [];
  for (const [at, names] of [...byMinute].toSorted(([a], [b]) => a - b)) {
    if (at >= end) break;
    if (keys.length && keys.length + names.length > MAX_OBJECTS) {
      end = at;
      break;
    }
    keys.push(...names);
  }
  return { keys: keys.toSorted(), until: end, more: end < to };
}

async function summaries(archive: ArchiveReader, keys: readonly string[]): Promise<ObjectSummary[]> {
  const found: ObjectSummary[] = [];
  for (let i = 0; i < keys.length; i += AT_ONCE)
    found.push(
      ...(await Promise.all(
        keys.slice(i, i + AT_ONCE).map(async (key) => {
          const text = await archive.read(key);
          if (text === undefined) throw new Error(`${key} is named by the archive, and not there`);
          return summaryOf({ key, text });
        }),
      )),
    );
  return found;
}
