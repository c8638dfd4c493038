/**
 * Archives a batch of the record's stream: entries in one object, changes of entries in another.
 *
 * Safe to run twice.
 */
import { type ArchiveKind, type ArchiveLine, archiveObject } from '../../domain/archive/lines.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Archive } from '../../ports/stores/archive.ts';

interface ArchiveDependencies {
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

async function putObject(kind: ArchiveKind, lines: readonly ArchiveLine[], { archive, clock }: ArchiveDependencies) {
  const { key, text } = archiveObject(kind, lines, clock.now());
  if (await archive.put(key, text)) return;
  // The same batch once more within its minute.
  if ((await archive.read(key)) !== text) throw new Error(`${key} is taken by another object`);
}
