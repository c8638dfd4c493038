/** Builds the package into dist/: JavaScript with types, the bin, the functions' bundles (`npm run build`). */
import { execFile } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunctions } from './bundle.ts';
import { packageRoot } from './constructs/package-root.ts';

const root = packageRoot();
const dist = join(root, 'dist');

/** The compiler's own entry, run by this Node: the links in `.bin` may be missing on a machine without them. */
async function compile(): Promise<void> {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), 'bin', 'tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { cwd: root });
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    throw new Error(stdout?.trim() || String(error));
  }
}

const began = performance.now();
for (const part of ['shared', 'cdk']) rmSync(join(dist, part), { recursive: true, force: true });
await Promise.all([bundleFunctions(root), compile()]);
chmodSync(join(dist, 'shared', 'cli', 'main.js'), 0o755);
console.log(`built dist/ in ${((performance.now() - began) / 1000).toFixed(1)} s`);
