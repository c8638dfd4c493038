/**
 * Copies the archive for verification without an account.
 *
 * The copy has the objects, the public key, and their owner.
 */
import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { fileArchive } from '../../../adapters/files/archive.ts';
import type { StoredItem } from '../../../domain/archive/lines.ts';
import { publicKeyFrom } from '../../../domain/archive/seal-key.ts';
import { hashOfNote } from '../../../domain/archive/seal-note.ts';
import type { ArchiveReader } from '../../../ports/stores/archive.ts';
import type { NamedTexts } from '../../../use-cases/archive/compare-texts.ts';
import { newestSeal } from '../../../use-cases/archive/write-seal.ts';
import { CliError, EXIT } from '../io.ts';

export interface Bundle {
  readonly archive: ArchiveReader;
  readonly deployment: string;
  readonly publicKey: KeyObject;
  /** Rows of the table; absent in a copy. */
  readonly rows?: () => AsyncIterable<StoredItem>;
  /** Texts that rows name; absent in a copy, and where their bucket is not stated. */
  readonly texts?: NamedTexts;
}

const KEY_FILE = 'public-key.pem';
const ABOUT_FILE = 'bundle.json';
const about = z.object({ deployment: z.string().min(1), version: z.literal(1) });

/** @throws CliError if the folder is no copy, or its parts do not fit. */
export async function openBundle(folder: string, keyFile: string | undefined): Promise<Bundle> {
  // A path that is misspelt says nothing of the record.
  if (!existsSync(folder)) throw new CliError(`--offline: there is no folder ${folder}`, EXIT.usage);
  const file = join(folder, ABOUT_FILE);
  if (!existsSync(file)) throw new CliError(`${file} is missing: ${folder} is no copy of an archive`, EXIT.changed);
  const { deployment } = readAbout(file);
  const publicKey = keyFile === undefined ? readKey(join(folder, KEY_FILE), EXIT.changed) : readKey(keyFile);
  return { archive: fileArchive(folder), deployment, publicKey };
}

function readAbout(file: string): z.infer<typeof about> {
  try {
    return about.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new CliError(`${file} is not as \`audit export\` wrote it`, EXIT.changed);
  }
}

/** @throws CliError if the file is missing or holds no key of a seal: with `code`, for one that the copy brought is a part of it. */
export function readKey(file: string, code: number = EXIT.usage): KeyObject {
  try {
    return publicKeyFrom(readFileSync(file, 'utf8'));
  } catch {
    throw new CliError(`${file} holds no Ed25519 or P-256 public key (PEM)`, code);
  }
}

/** @throws CliError if something is in the folder already. */
export async function saveBundle({ archive, deployment, publicKey }: Bundle, folder: string) {
  if (existsSync(folder)) throw new CliError(`${folder} is there already: name a new folder`, EXIT.usage);
  await mkdir(folder, { recursive: true });
  const copy = fileArchive(folder);
  let objects = 0;
  // Seals last: a copy that stops half way holds no seal that names what it lacks.
  for (const prefix of ['entry/', 'tamper/', 'list/', 'anchor/', 'seal/'])
    for await (const key of archive.names(prefix)) {
      const text = await archive.read(key);
      if (text !== undefined) await copy.put(key, text);
      objects += 1;
    }
  await writeFile(join(folder, KEY_FILE), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(join(folder, ABOUT_FILE), `${JSON.stringify({ version: 1, deployment })}\n`);
  const newest = await newestSeal(copy);
  return { objects, newest: newest && { number: newest.number, hash: hashOfNote(newest.note) } };
}
