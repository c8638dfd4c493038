/**
 * Reads the import graph of one bundled function from esbuild's metafile.
 *
 * Separates the modules that its first import loads from those that come later.
 */
import { basename } from 'node:path';
import type { Metafile } from 'esbuild';

interface FirstImport {
  readonly bytes: number;
  /** Names of the packages in it; our own code is `countersign`. */
  readonly packages: ReadonlySet<string>;
  /** Bytes of each, the largest first. */
  readonly largest: readonly (readonly [string, number])[];
}

export function firstImport(metafile: Metafile): FirstImport {
  const sizes = new Map<string, number>();
  let bytes = 0;
  for (const path of staticGraph(metafile)) {
    const output = metafile.outputs[path];
    bytes += output?.bytes ?? 0;
    for (const [input, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
      const name = packageOf(input);
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
    }
  }
  return { bytes, packages: new Set(sizes.keys()), largest: [...sizes].toSorted(([, a], [, b]) => b - a) };
}

interface LaterImports {
  readonly bytes: number;
  /** Chunks that code loads by `import()`. */
  readonly chunks: readonly { readonly file: string; readonly entryPoint: string }[];
}

export function laterImports(metafile: Metafile): LaterImports {
  const first = staticGraph(metafile);
  const later = Object.entries(metafile.outputs).filter(([path]) => !first.has(path));
  return {
    bytes: later.reduce((total, [, { bytes }]) => total + bytes, 0),
    chunks: later.flatMap(([path, { entryPoint }]) => (entryPoint ? [{ file: basename(path), entryPoint }] : [])),
  };
}

/** The outputs that the first import loads, `index.mjs` first. */
export function staticGraph({ outputs }: Metafile): ReadonlySet<string> {
  const index = Object.keys(outputs).find((path) => basename(path) === 'index.mjs');
  if (!index) throw new Error('the bundle has no index.mjs');
  const seen = new Set([index]);
  for (const path of seen) {
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && !external) seen.add(imported);
    }
  }
  return seen;
}

/** `@scope/name` or `name` of the innermost package that a file belongs to. */
const packageOf = (input: string): string => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'countersign';
