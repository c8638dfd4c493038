/**
 * Archives a batch of the record's stream: entries in one object, changes of entries in another.
 *
 * Safe to run twice.
 */
import { type ArchiveKind, type ArchiveLine, archiveObject, KINDS, nameOf } from '../../domain/archive/lines.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Archive, ArchiveReader } from '../../ports/stores/archive.ts';

const MINUTE_MS = 60_000;

export interface ArchiveDependencies {
  readonly archive: Archive;
  readonly clock: Clock;
}

/** @throws Error where the name of an object is taken by another text: the batch comes again, under a later minute. */
export async function archiveEntries(lines: readonly ArchiveLine[], gate: ArchiveDependencies): Promise<void> {
  const changes = lines.filter(({ event }) => event !== 'insert');
  // Changes are written first, because the alarm that they raise sends people to look for them.
  if (changes.length) await putObject('tamper', changes, gate);
  const entries = lines.filter(({ event }) => event === 'insert');
  if (entries.length) await putObject('entry', entries, gate);
}

/** When the archive began, in milliseconds since 1970: the end of the minute of its first object. Undefined: it holds none. */
export async function archiveStart(archive: ArchiveReader): Promise<number | undefined> {
  const minutes: number[] = [];
  for (const kind of KINDS)
    for await (const key of archive.names(`${kind}/`)) {
      const name = nameOf(key);
      if (!name) continue;
      minutes.push(name.at);
      break;
    }
  return minutes.length ? Math.min(...minutes) + MINUTE_MS : undefined;
}

async function putObject(kind: ArchiveKind, lines: readonly ArchiveLine[], { archive, clock }: ArchiveDependencies) {
  const { key, text } = archiveObject(kind, lines, clock.now());
  if (await archive.put(key, text)) return;
  // The same batch once more within its minute.
  if ((await archive.read(key)) !== text) throw new Error(`${key} is taken by another object`);
}
