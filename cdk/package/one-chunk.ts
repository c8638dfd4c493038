/** Makes one file of all chunks that a function's first import loads: each one costs time. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { staticGraph } from './import-graph.ts';

type Output = Metafile['outputs'][string];

const ENTRY = 'index.mjs';

interface Joined {
  readonly path: string;
  readonly output: Output;
}

/**
 * Puts the chunks into `index.mjs` of `folder`. A chunk that others import later stays as a file that exports the same names from there, so
 * that each module still runs once. The map of the index leads to the sources.
 *
 * @param banner begins each file on a line of its own; the index has it once
 * @returns the metafile of what stands in the folder then
 */
export async function joinFirstImport(
  folder: string,
  { inputs, outputs }: Metafile,
  banner: string,
): Promise<Metafile> {
  const joined: Joined[] = [...staticGraph({ inputs, outputs })].map((path) => ({
    path,
    output: outputs[path] as Output,
  }));
  const [index, ...chunks] = joined;
  if (!index) throw new Error('the bundle is empty');
  const others = Object.entries(outputs).filter(([path]) => !joined.some((each) => each.path === path));
  const wantedLater = new Set(others.flatMap(([, { imports }]) => imports.map(({ path }) => path)));
  const later = chunks.filter(({ path }) => wantedLater.has(path));
  const files = joined.map(({ path }) => basename(path));
  const exported = [`export * from './${ENTRY}';`, ...later.map(exportsOf)].join('\n');
  const made = await bundled(folder, new Set(files), banner, exported);
  for (const file of files.flatMap((each) => [each, `${each}.map`])) rmSync(join(folder, file), { force: true });
  for (const { path, contents } of made) writeFileSync(path, contents);
  const stubs = later.map(({ path, output }, chunk): readonly [string, Output] => {
    const text = `export{${output.exports.map((name) => `${nameIn(chunk, name)} as ${name}`).join(',')}}from"./${ENTRY}";\n`;
    writeFileSync(join(folder, basename(path)), text);
    const imports = [{ path: index.path, kind: 'import-statement' as const }];
    return [path, { ...output, bytes: Buffer.byteLength(text), inputs: {}, imports }];
  });
  const whole: Output = {
    ...index.output,
    bytes: readFileSync(join(folder, ENTRY)).length,
    inputs: Object.assign({}, ...joined.map(({ output }) => output.inputs)),
    imports: joined.flatMap(({ output }) =>
      output.imports.filter(({ kind, external }) => external === true || kind !== 'import-statement'),
    ),
    exports: [
      ...index.output.exports,
      ...later.flatMap(({ output }, chunk) => output.exports.map((name) => nameIn(chunk, name))),
    ],
  };
  return { inputs, outputs: Object.fromEntries([...others, ...stubs, [index.path, whole]]) };
}

/** The name that an export of a chunk has in the index: chunks use the same short names. */
const nameIn = (chunk: number, exported: string): string => `_${chunk.toString(36)}_${exported}`;

const exportsOf = ({ path, output }: Joined, chunk: number): string => {
  const names = output.exports.map((name) => `${name} as ${nameIn(chunk, name)}`);
  return `export { ${names.join(', ')} } from './${basename(path)}';`;
};

/** The index and its map, not written yet. */
async function bundled(
  folder: string,
  files: ReadonlySet<string>,
  banner: string,
  exported: string,
): Promise<readonly OutputFile[]> {
  const chunks: Plugin = {
    name: 'joined-chunks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/[\w-]+\.mjs$/ }, ({ path, kind }) =>
        kind === 'import-statement' && files.has(basename(path))
          ? { path: resolve(folder, path), sideEffects: true }
          : { path, external: true },
      );
      onLoad({ filter: /\.mjs$/ }, ({ path }) => {
        // An empty line stays where the banner was, since the map counts it.
        const text = readFileSync(path, 'utf8').replace(banner, '');
        return { contents: `${text}\n//# sourceMappingURL=${basename(path)}.map`, loader: 'js' };
      });
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: exported, resolveDir: folder, loader: 'js' },
    outdir: folder,
    entryNames: 'index',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: banner },
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
    plugins: [chunks],
    absWorkingDir: folder,
    write: false,
    logLevel: 'warning',
  });
  return outputFiles;
}
