/** Keeps the sources behind the bundled code beside the functions, which never load or deploy them. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { type SourceLine, type SourceLines, sourceLineAt, sourceLinesOf } from './source-lines.ts';

/** By bundled file. Functions share chunks, whose names hold a digest of their code; each has an `index.mjs` of its own. */
type Frames = Readonly<Record<string, SourceLines>>;

/** Finds the source behind a place in a bundled file. The function has to be known for an `index.mjs`, of which each has its own. */
export type SourceOf = (
  file: string,
  functionName: string | undefined,
  line: number,
  column: number,
) => SourceLine | undefined;

/** Name of the archive's file in dist/, and of the folder with a file for each function in the repository. */
export const FRAMES_ARCHIVE = 'frames.json.br';
export const FRAMES_FOLDER = 'frames';

const ENTRY = 'index.mjs';
const keyOf = (file: string, functionName: string): string => (file === ENTRY ? `${functionName}/${ENTRY}` : file);

/** Takes the source maps out of a bundle's folder: everything in it is deployed. */
export function takeFrames(root: string, functionName: string, folder: string): Frames {
  const pathOf = (source: string): string => {
    const path = resolve(folder, source);
    // A module that a plugin makes has a name alone.
    if (path.startsWith(`${folder}${sep}`)) return relative(folder, path);
    // Installed packages may stand elsewhere, behind a link.
    const installed = path.indexOf('node_modules/');
    return installed < 0 ? relative(root, path) : path.slice(installed);
  };
  const maps = readdirSync(folder).filter((name) => name.endsWith('.map'));
  const taken = maps.toSorted().map((name) => {
    const file = join(folder, name);
    const lines = sourceLinesOf(JSON.parse(readFileSync(file, 'utf8')), pathOf);
    rmSync(file);
    return [keyOf(basename(name, '.map'), functionName), lines] as const;
  });
  return Object.fromEntries(taken);
}

/** Packs `folder`, which holds a file for each function, into `file`. */
export function packFrames(folder: string, file: string): void {
  const settings = { params: { [constants.BROTLI_PARAM_QUALITY]: 8, [constants.BROTLI_PARAM_LGWIN]: 24 } };
  writeFileSync(file, brotliCompressSync(JSON.stringify(readFrames(folder)), settings));
}

/**
 * Opens the frames of this very build.
 * @throws Error if nothing is built
 */
export function openFrames(root: string): SourceOf {
  const folder = join(root, 'dist', FRAMES_FOLDER);
  const archive = join(root, 'dist', FRAMES_ARCHIVE);
  if (!existsSync(folder) && !existsSync(archive)) throw new Error('the functions are not bundled yet: npm run build');
  const frames = existsSync(folder)
    ? readFrames(folder)
    : (JSON.parse(brotliDecompressSync(readFileSync(archive)).toString('utf8')) as Frames);
  return (file, functionName = '', line, column) => {
    const key = keyOf(file, functionName);
    const lines = Object.hasOwn(frames, key) ? frames[key] : undefined;
    return lines && sourceLineAt(lines, line, column);
  };
}

function readFrames(folder: string): Frames {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.assign(
    {},
    ...files.toSorted().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Frames),
  );
}
