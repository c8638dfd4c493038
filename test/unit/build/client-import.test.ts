/** Checks what an agent loads with `countersign/client`, before it sends anything. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the client loads no schema and no SDK before the first proposal', async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../../../shared/client/index.ts')],
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outdir: 'out',
    write: false,
    metafile: true,
  });
  const entry = Object.keys(metafile.outputs).find((path) => path.endsWith('/index.js')) ?? '';
  const first = new Set([entry]);
  const packages = new Set<string>();
  for (const path of first)
    for (const { path: imported, kind, external } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') (external ? packages : first).add(imported);
  expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual(['canonicalize']);
});
