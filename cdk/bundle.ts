/** Bundles each function with all it imports into dist/functions/<name>: `npm run build:functions`. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { FUNCTIONS, type GateFunctionName } from './function-names.ts';
import { packageRoot } from './package-root.ts';

/** CommonJS dependencies inside an ES module still call `require`. */
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** The parser's WebAssembly, needed by those functions that judge calls; read on the first shell command only. */
const WASM = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'];
const JUDGES: ReadonlySet<GateFunctionName> = new Set<GateFunctionName>([
  'evaluate',
  'deliberate',
  'resume',
  'reconcile',
]);

export async function bundleFunctions(root: string = packageRoot()): Promise<ReadonlyMap<string, Metafile>> {
  const out = join(root, 'dist', 'functions');
  rmSync(out, { recursive: true, force: true });
  const { resolve } = createRequire(import.meta.url);
  const metafiles = new Map<string, Metafile>();
  const one = async (name: GateFunctionName) => {
    const folder = join(out, name);
    mkdirSync(folder, { recursive: true });
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
      metafile: true,
      logLevel: 'warning',
    });
    metafiles.set(name, metafile);
    if (JUDGES.has(name))
      for (const wasm of WASM) copyFileSync(resolve(wasm), join(folder, wasm.split('/')[1] ?? wasm));
  };
  await Promise.all(FUNCTIONS.map(one));
  return metafiles;
}

if (process.argv[1] === import.meta.filename) await bundleFunctions();
