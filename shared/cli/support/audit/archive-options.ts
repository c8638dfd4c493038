/** Declares the options by which an archive is found, and opens it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { setting } from '../settings.ts';
import type { Bundle } from './archive-bundle.ts';

export interface Where {
  readonly deployment?: string;
  readonly archiveBucket?: string;
  readonly archiveKey?: string;
  readonly auditTable?: string;
  readonly textBucket?: string;
}

export const sources = (command: Command): Command =>
  command
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--archive-bucket <name>', 'default: COUNTERSIGN_ARCHIVE_BUCKET')
    .option('--archive-key <arn>', 'the key that signs seals (default: COUNTERSIGN_ARCHIVE_KEY)')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE');

/** The archive itself, or a copy of it. */
export async function opened(
  { offline, ...where }: Where & { readonly offline?: string },
  io: Io,
  keyFile: string | undefined,
): Promise<Bundle> {
  if (offline === undefined) return live(where, io, keyFile);
  const { openBundle } = await import('./archive-bundle.ts');
  return openBundle(resolve(io.cwd, offline), keyFile);
}

async function live(where: Where, io: Io, keyFile: string | undefined): Promise<Bundle> {
  const table = setting('COUNTERSIGN_AUDIT_TABLE', where.auditTable, io);
  const [source, { rowsOf }] = await Promise.all([sourceOf(where, io, keyFile), import('./archive-source.ts')]);
  const bucket = where.textBucket ?? io.env['COUNTERSIGN_TEXT_BUCKET'];
  const texts = bucket ? await (await import('./record-texts.ts')).namedTexts(bucket) : undefined;
  return { ...source, rows: () => rowsOf(table), ...(texts ? { texts } : {}) };
}

/** The SDKs are loaded with the first command that needs them. */
export async function sourceOf(where: Where, io: Io, keyFile?: string): Promise<Bundle> {
  const { liveArchive } = await import('./archive-source.ts');
  return liveArchive({
    deployment: setting('COUNTERSIGN_DEPLOYMENT', where.deployment, io),
    bucket: setting('COUNTERSIGN_ARCHIVE_BUCKET', where.archiveBucket, io),
    key: keyFile === undefined ? setting('COUNTERSIGN_ARCHIVE_KEY', where.archiveKey, io) : undefined,
    keyFile,
  });
}
