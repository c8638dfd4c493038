/**
 * Builds what `countersign dev` loads as one bundle of its own, and the app of its default stack.
 *
 * The bundle holds Slack's SDK, and the local Slack with its page. The shell parser's files are a chunk of the entries.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { embeddedParser } from './embedded-parser.ts';
import { REQUIRE, withoutBoltServers } from './slack-sdk.ts';
import { removeUnreached } from './unreached-chunks.ts';

const SOURCE = 'shared/dev/index.ts';
const APP_SOURCE = 'cdk/dev-app.ts';
/** From the folder of packages' chunks and of the command: both lie beside it in dist/. */
const FROM_CHUNKS = '../dev/main.js';

/** Everything else of the package imports the bundle when it is needed, and holds nothing of it. */
export const devApart: Plugin = {
  name: 'dev-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/dev\/index\.ts$/ }, () => ({ path: FROM_CHUNKS, external: true }));
  },
};

/** A quarter of a megabyte, which the chunks of the package hold already. */
const parserOfChunks: Plugin = {
  name: 'parser-of-chunks',
  setup({ onResolve }) {
    onResolve({ filter: /\/parser-files\.ts$/ }, () => ({ path: '../chunks/parser-files.js', external: true }));
  },
};

/** The app imports entries of the package, which lie above it in dist/. */
const appOfEntries: Plugin = {
  name: 'app-of-entries',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.\/index|\.\.\/shared\/config\/index)\.ts$/ }, ({ path, importer }) =>
      importer.endsWith('dev-app.ts')
        ? { path: path.startsWith('./') ? '../cdk.js' : '../config.js', external: true }
        : undefined,
    );
  },
};

/** Puts the files of the local Slack's page into the bundle. */
const embeddedPage: Plugin = {
  name: 'embedded-page',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]slack[\\/]page[\\/]assets\.ts$/ }, ({ path }) => {
      const folder = path.replace(/\.ts$/, '');
      const names = readdirSync(folder).filter((name) => !name.endsWith('.ts'));
      const texts = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
      const files = JSON.stringify(Object.fromEntries(texts));
      return {
        contents: `const files = ${files};\nexport const assetOf = async (name) => Object.hasOwn(files, name) ? files[name] : undefined;\n`,
        loader: 'js',
      };
    });
  },
};

/** @param external packages that are installed beside this one */
export async function buildDev(root: string, out: string, external: readonly string[]): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { 'dev/main': join(root, SOURCE), 'dev/app': join(root, APP_SOURCE) },
    outdir: out,
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    chunkNames: 'dev/[hash]',
    banner: { js: REQUIRE },
    external: [...external],
    legalComments: 'none',
    plugins: [withoutBoltServers, parserOfChunks, embeddedParser, embeddedPage, appOfEntries],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  removeUnreached(root, metafile, [SOURCE, APP_SOURCE]);
  return metafile;
}
