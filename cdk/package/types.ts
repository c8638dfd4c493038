/** Builds one declaration file for each public entry, with chunks for the types that entries share. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { ENTRIES } from './entries.ts';

/** The compiler's own entry, run by this Node: the links in `.bin` may be missing on a machine without them. A second checker would infer the same types. */
async function emitDeclarations(root: string): Promise<void> {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), 'bin', 'tsc');
  const argv = [tsc, '--checkers', '1', '-p', join(root, 'tsconfig.build.json')];
  try {
    await promisify(execFile)(process.execPath, argv, { cwd: root });
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    throw new Error(stdout?.trim() || String(error));
  }
}

/** A class that two entries export is declared once, so that TypeScript takes the one for the other. */
export async function buildTypes(root: string, out: string): Promise<void> {
  // As `outDir` in tsconfig.build.json.
  const emitted = join(root, '.cache', 'types');
  rmSync(emitted, { recursive: true, force: true });
  await emitDeclarations(root);
  const declared = Object.entries(ENTRIES).map(([name, source]) => {
    return [name, join(emitted, source.replace(/\.ts$/, '.d.ts'))];
  });
  const bundle = await rolldown({
    input: Object.fromEntries(declared),
    external: (id) => !/^[./]/.test(id),
    plugins: dts({ dtsInput: true, generator: 'oxc', tsconfig: false }),
    checks: { bundlerTimings: false },
  });
  try {
    await bundle.write({
      dir: out,
      format: 'esm',
      entryFileNames: '[name].d.ts',
      chunkFileNames: 'chunks/[name]-[hash].d.ts',
    });
  } finally {
    await bundle.close();
  }
}
