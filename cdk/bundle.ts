/** Bundles each function with all it imports into dist/functions/<name>: `npm run build:functions`. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { BundleCache } from './bundle-cache.ts';
import { FUNCTIONS, type GateFunctionName } from './constructs/functions/function-names.ts';
import { packageRoot } from './constructs/functions/package-root.ts';
import { firstImportTable, refuseLargerFirstImport } from './first-import-limits.ts';
import { directSdkImports } from './package/direct-sdk-imports.ts';
import { embeddedParser } from './package/embedded-parser.ts';
import { FRAMES_FOLDER, takeFrames } from './package/frames-archive.ts';
import { lazyImports } from './package/lazy-imports.ts';
import { joinFirstImport } from './package/one-chunk.ts';
import { signedClients } from './package/signed-clients.ts';
import { REQUIRE, withoutBoltServers } from './package/slack-sdk.ts';
import { lacksJsonSchemas, withoutJsonSchemas } from './package/smaller-packages.ts';
import { withoutUnusedParts } from './package/unused-parts.ts';

/** Functions with an SDK of models, which writes JSON Schemas for the tools of a model. */
const WRITES_SCHEMAS: ReadonlySet<GateFunctionName> = new Set(['converse', 'deliberate']);

const BUNDLES_AT_ONCE = 4;

/** Bundles whose sources have not changed are left alone. */
export async function bundleFunctions(
  root: string = packageRoot(),
  names: readonly GateFunctionName[] = FUNCTIONS,
): Promise<ReadonlyMap<GateFunctionName, Metafile>> {
  const out = join(root, 'dist', 'functions');
  const frames = join(root, 'dist', FRAMES_FOLDER);
  for (const folder of [out, frames]) mkdirSync(folder, { recursive: true });
  const cache = new BundleCache(root);
  const metafiles = new Map<GateFunctionName, Metafile>();
  const staging = mkdtempSync(join(dirname(out), '.bundling-'));
  const built = (name: GateFunctionName) => ({ folder: join(out, name), frames: join(frames, `${name}.json`) });
  const one = async (name: GateFunctionName) => {
    const cached = cache.find(name, built(name));
    metafiles.set(name, cached ?? (await bundleFunction(name, join(staging, name), root)));
    return cached ? [] : [name];
  };
  try {
    for (const name of await inTurns(names, one)) {
      writeFileSync(join(staging, `${name}.json`), JSON.stringify(takeFrames(root, name, join(staging, name))));
      renameSync(join(staging, `${name}.json`), built(name).frames);
      replace(join(staging, name), built(name).folder, join(staging, `${name}.old`));
      cache.put(name, built(name), metafiles.get(name) as Metafile);
    }
    const known: readonly string[] = FUNCTIONS;
    for (const folder of [out, frames])
      for (const file of readdirSync(folder).filter((other) => !known.includes(parse(other).name)))
        rmSync(join(folder, file), { recursive: true, force: true });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return metafiles;
}

/**
 * A few names at once: esbuild holds the modules of every bundle that it is at work on. Rejects once none is at work any more: a bundle that is
 * written later would bring the folder back that the caller removes.
 */
async function inTurns<Name>(names: readonly Name[], work: (name: Name) => Promise<readonly Name[]>): Promise<Name[]> {
  const waiting = names.values();
  const done: Name[] = [];
  const lane = async () => {
    for (const name of waiting) done.push(...(await work(name)));
  };
  for (const ended of await Promise.allSettled(Array.from({ length: BUNDLES_AT_ONCE }, lane)))
    if (ended.status === 'rejected') throw ended.reason;
  return done;
}

/** Into `folder`, which is made, with the source maps. */
async function bundleFunction(name: GateFunctionName, folder: string, root: string): Promise<Metafile> {
  mkdirSync(folder);
  const { metafile: split } = await build({
    entryPoints: { index: join(root, 'functions', `${name}.ts`) },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    chunkNames: 'chunk-[hash]',
    banner: { js: REQUIRE },
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
    plugins: [
      withoutBoltServers,
      embeddedParser,
      lazyImports,
      signedClients,
      withoutUnusedParts,
      directSdkImports,
      ...(WRITES_SCHEMAS.has(name) ? [] : [withoutJsonSchemas]),
    ],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  for (const file of Object.keys(split.outputs).filter((name) => name.endsWith('.map'))) delete split.outputs[file];
  refuseLateCommonJs(split);
  const metafile = await joinFirstImport(folder, split, REQUIRE);
  refuseLargerFirstImport(name, metafile);
  if (lacksJsonSchemas(metafile)) throw new Error(`${name} writes JSON Schemas now: name it in WRITES_SCHEMAS`);
  return metafile;
}

/** Refuses a late import of a CommonJS module: a split bundle has the default export only, and all names are undefined. */
function refuseLateCommonJs({ inputs }: Metafile): void {
  for (const [file, { imports }] of Object.entries(inputs))
    for (const { path, kind } of imports)
      if (!file.includes('node_modules/') && kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
        throw new Error(`${file} imports ${path} later, which is CommonJS: import it from a module of our own`);
}

/** Puts a finished bundle in the old one's place: whoever reads meanwhile finds the one or the other whole, never an empty folder. */
function replace(made: string, place: string, old: string): void {
  try {
    renameSync(place, old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  try {
    renameSync(made, place);
  } catch (error) {
    // Another build was a moment faster; its bundle is of the same sources.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

if (process.argv[1] === import.meta.filename) console.log(firstImportTable(await bundleFunctions()));
