/** Packs the bundles of all functions into one small file for the tarball, and reads them from it. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** The texts of one function's files by name. */
type FunctionFiles = Readonly<Record<string, string>>;

/** Functions have most of their chunks in common: each text is held once, and named by its digest. */
interface Archive {
  readonly functions: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly texts: Readonly<Record<string, string>>;
}

/** Name of the archive's file in dist/. */
export const FUNCTIONS_ARCHIVE = 'functions.json.br';

/** Packs `folders`, which holds one folder for each function, into `file`. */
export function packFunctions(folders: string, file: string): void {
  const texts: Record<string, string> = {};
  const functions: Record<string, Record<string, string>> = {};
  for (const name of readdirSync(folders).toSorted()) {
    const digests: Record<string, string> = {};
    for (const [path, text] of Object.entries(filesIn(join(folders, name)))) {
      const digest = createHash('sha256').update(text).digest('base64url');
      texts[digest] = text;
      digests[path] = digest;
    }
    functions[name] = digests;
  }
  const archive: Archive = { functions, texts };
  const settings = { params: { [constants.BROTLI_PARAM_QUALITY]: 8, [constants.BROTLI_PARAM_LGWIN]: 24 } };
  writeFileSync(file, brotliCompressSync(JSON.stringify(archive), settings));
}

/**
 * The code of one function: from its own folder in the repository, from the archive in an installed package.
 * @throws Error if neither is there
 */
export function functionFiles(root: string, name: string): FunctionFiles {
  const folder = join(root, 'dist', 'functions', name);
  if (existsSync(join(folder, 'index.mjs'))) return filesIn(folder);
  const digests = archiveIn(root)?.functions[name];
  if (!digests) throw new Error(`the function ${name} is not bundled yet: npm run build:functions`);
  const texts = archiveIn(root)?.texts ?? {};
  return Object.fromEntries(Object.entries(digests).map(([file, digest]) => [file, texts[digest] ?? '']));
}

/** By file: one synthesis asks for every function. */
const unpacked = new Map<string, Archive>();

function archiveIn(root: string): Archive | undefined {
  const file = join(root, 'dist', FUNCTIONS_ARCHIVE);
  const known = unpacked.get(file);
  if (known || !existsSync(file)) return known;
  const archive = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as Archive;
  unpacked.set(file, archive);
  return archive;
}

function filesIn(folder: string): FunctionFiles {
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
