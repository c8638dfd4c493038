/** Checks that the chunks of a first import become one file, and that each module still runs once. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { firstImport, laterImports, staticGraph } from '../../../cdk/package/import-graph.ts';
import { joinFirstImport } from '../../../cdk/package/one-chunk.ts';

const BANNER = '/* banner */';
const SOURCES = {
  // Shared with a later part, and changed after it was loaded.
  'count.mjs':
    'export let count = 0; export const add = () => { count += 1; }; globalThis.counted = (globalThis.counted ?? 0) + 1;',
  'names.mjs': "import { add } from './count.mjs'; export class Name { twice() { add(); add(); } }",
  'later.mjs':
    "import { count } from './count.mjs'; import { Name } from './names.mjs'; export const read = (name) => [count, name instanceof Name];",
  'other.mjs': "import { count } from './count.mjs'; export const other = () => count;",
  'index.mjs': `import { count, add } from './count.mjs'; import { Name } from './names.mjs';
    export async function handler() {
      const name = new Name(); name.twice(); add();
      const [{ read }, { other }] = await Promise.all([import('./later.mjs'), import('./other.mjs')]);
      return [count, ...read(name), other()];
    }`,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-chunks-'));
  mkdirSync(join(root, 'sources'));
  for (const [name, text] of Object.entries(SOURCES)) writeFileSync(join(root, 'sources', name), text);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('what a first import loads is one file, whose parts later ones share', async () => {
  const folder = join(root, 'out');
  const { metafile: split } = await build({
    entryPoints: { index: join(root, 'sources', 'index.mjs') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    chunkNames: 'chunk-[hash]',
    banner: { js: BANNER },
    sourcemap: 'external',
    metafile: true,
    absWorkingDir: root,
  });
  for (const file of Object.keys(split.outputs)) if (file.endsWith('.map')) delete split.outputs[file];
  expect(staticGraph(split).size).toBeGreaterThan(1);
  const metafile = await joinFirstImport(folder, split, BANNER);
  expect([...staticGraph(metafile)]).toEqual(['out/index.mjs']);
  expect(
    Object.keys(metafile.outputs)
      .map((file) => `${file}`)
      .toSorted(),
  ).toEqual(
    readdirSync(folder)
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => `out/${file}`)
      .toSorted(),
  );
  expect(firstImport(metafile).bytes).toBeLessThan(1000);
  expect(laterImports(metafile).chunks).toHaveLength(2);
  const { handler } = await import(pathToFileURL(join(folder, 'index.mjs')).href);
  expect(await handler()).toEqual([3, 3, true, 3]);
  expect((globalThis as { counted?: number }).counted).toBe(1);
});
