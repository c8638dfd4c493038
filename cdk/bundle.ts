/** Bundles each function with all it imports into dist/functions/<name>: `npm run build:functions`. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { BundleCache } from './bundle-cache.ts';
import { FUNCTIONS, type GateFunctionName } from './constructs/function-names.ts';
import { packageRoot } from './constructs/package-root.ts';
import { firstImportTable, refuseLargerFirstImport } from './first-import-limits.ts';
import { embeddedParser } from './package/embedded-parser.ts';
import { lateParts } from './package/late-parts.ts';
import { REQUIRE, withoutBoltServers } from './package/slack-sdk.ts';
import { directSdkImports, lacksJsonSchemas, withoutJsonSchemas } from './package/smaller-packages.ts';

/** Functions with an SDK of models, which writes JSON Schemas for the tools of a model. */
const WRITES_SCHEMAS: ReadonlySet<GateFunctionName> = new Set(['converse', 'deliberate']);

/** Bundles whose sources have not changed are left alone. */
export async function bundleFunctions(
  root: string = packageRoot(),
  names: readonly GateFunctionName[] = FUNCTIONS,
): Promise<ReadonlyMap<GateFunctionName, Metafile>> {
  const out = join(root, 'dist', 'functions');
  mkdirSync(out, { recursive: true });
  const cache = new BundleCache(root);
  const metafiles = new Map<GateFunctionName, Metafile>();
  const staging = mkdtempSync(join(dirname(out), '.bundling-'));
  const one = async (name: GateFunctionName) => {
    const folder = join(out, name);
    const cached = cache.find(name, folder);
    metafiles.set(name, cached ?? (await bundleFunction(name, join(staging, name), root)));
  };
  try {
    await Promise.all(names.map(one));
    for (const name of readdirSync(staging)) {
      const made = metafiles.get(name as GateFunctionName);
      replace(join(staging, name), join(out, name), join(staging, `${name}.old`));
      if (made) cache.put(name, join(out, name), made);
    }
    const known: readonly string[] = FUNCTIONS;
    for (const name of readdirSync(out).filter((other) => !known.includes(other)))
      rmSync(join(out, name), { recursive: true, force: true });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return metafiles;
}

/** Into `folder`, which is made. */
export async function bundleFunction(
  name: GateFunctionName,
  folder: string,
  root: string = packageRoot(),
): Promise<Metafile> {
  mkdirSync(folder);
  const { metafile } = await build({
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
    plugins: [
      withoutBoltServers,
      embeddedParser,
      lateParts,
      directSdkImports,
      ...(WRITES_SCHEMAS.has(name) ? [] : [withoutJsonSchemas]),
    ],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  refuseLateCommonJs(metafile);
  refuseLargerFirstImport(name, metafile);
  if (lacksJsonSchemas(metafile)) throw new Error(`${name} writes JSON Schemas now: name it in WRITES_SCHEMAS`);
  return metafile;
}

/** Of a CommonJS module that our code imports when it is needed, a split bundle has the default export only, and its names are undefined. */
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
