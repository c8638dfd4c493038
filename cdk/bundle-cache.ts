/**
 * Remembers each bundle with its sources' digests, so that an unchanged one is not built again.
 *
 * The memory is in `.cache`, because everything in a bundle's folder is deployed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';

/** Places of what was made of one function. */
interface BuiltFunction {
  readonly folder: string;
  /** The file with the sources behind the frames. */
  readonly frames: string;
}

interface CachedBundle {
  readonly digest: string;
  readonly metafile: Metafile;
}

/** Files that decide about a bundle besides its sources. */
const SETTINGS = [
  'cdk/bundle.ts',
  'cdk/package/direct-sdk-imports.ts',
  'cdk/package/embedded-parser.ts',
  'cdk/package/frames-archive.ts',
  'cdk/package/source-lines.ts',
  'cdk/first-import-limits.ts',
  'cdk/package/lazy-imports.ts',
  'cdk/package/one-chunk.ts',
  'cdk/package/signed-clients.ts',
  'cdk/package/slack-sdk.ts',
  'cdk/package/smaller-packages.ts',
  'cdk/package/unused-parts.ts',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

export class BundleCache {
  readonly #root: string;
  /** A file that many bundles hold is read once. */
  readonly #digests = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The metafile of what was built, if making it again would make the same. */
  find(name: string, built: BuiltFunction): Metafile | undefined {
    try {
      const { digest, metafile } = JSON.parse(readFileSync(this.#record(name), 'utf8')) as CachedBundle;
      return digest === this.#digestOf(built, metafile) ? metafile : undefined;
    } catch {
      // Nothing was kept, or nothing that can be read: then it is made.
      return undefined;
    }
  }

  put(name: string, built: BuiltFunction, metafile: Metafile): void {
    const record = this.#record(name);
    mkdirSync(dirname(record), { recursive: true });
    const cached: CachedBundle = { digest: this.#digestOf(built, metafile), metafile };
    writeFileSync(`${record}.${process.pid}`, JSON.stringify(cached));
    renameSync(`${record}.${process.pid}`, record);
  }

  #record(name: string): string {
    return join(this.#root, '.cache', 'bundles', `${name}.json`);
  }

  #digestOf({ folder, frames }: BuiltFunction, { inputs }: Metafile): string {
    const sources = [...SETTINGS, ...Object.keys(inputs).toSorted()];
    const files = readdirSync(folder).toSorted();
    const digested = [
      ...sources.map((source) => [source, this.#fileDigest(resolve(this.#root, source))]),
      ...files.map((file) => [file, sha256(readFileSync(join(folder, file)))]),
      ['frames', sha256(readFileSync(frames))],
    ];
    return sha256(JSON.stringify(digested));
  }

  #fileDigest(file: string): string {
    const known = this.#digests.get(file) ?? digestOf(file);
    this.#digests.set(file, known);
    return known;
  }
}

/** A module that a plugin makes has no file. */
function digestOf(file: string): string {
  try {
    return sha256(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'no file';
    throw error;
  }
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
