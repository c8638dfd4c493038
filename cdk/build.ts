/** Builds dist/: entries, command, bundles; without `--unpacked` also types and archives. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from './bundle.ts';
import { packageRoot } from './constructs/functions/package-root.ts';
import { buildDev } from './package/dev-bundle.ts';
import { buildEntries, installedBeside } from './package/entries.ts';
import { FRAMES_ARCHIVE, FRAMES_FOLDER, packFrames } from './package/frames-archive.ts';
import { FUNCTIONS_ARCHIVE, packFunctions } from './package/functions-archive.ts';
import { licensesOf } from './package/licenses.ts';
import { buildTypes } from './package/types.ts';

const root = packageRoot();
const dist = join(root, 'dist');

const isPacked = !process.argv.includes('--unpacked');
const began = performance.now();
mkdirSync(dist, { recursive: true });
const made = mkdtempSync(join(dist, '.building-'));
try {
  const [functions, entries, dev] = await Promise.all([
    bundleFunctions(root),
    buildEntries(root, made),
    buildDev(root, made, installedBeside(root)),
    ...(isPacked ? [buildTypes(root, made)] : []),
  ]);
  if (isPacked) {
    packFunctions(join(dist, 'functions'), join(made, FUNCTIONS_ARCHIVE));
    packFrames(join(dist, FRAMES_FOLDER), join(made, FRAMES_ARCHIVE));
  }
  writeFileSync(join(made, 'licenses.txt'), licensesOf(root, [...functions.values(), entries, dev]));
  for (const name of readdirSync(dist))
    if (!/^(functions|frames)$|^\.b/.test(name)) rmSync(join(dist, name), { recursive: true });
  for (const name of readdirSync(made)) renameSync(join(made, name), join(dist, name));
} finally {
  rmSync(made, { recursive: true, force: true });
}
console.log(`built dist/ in ${((performance.now() - began) / 1000).toFixed(1)} s`);
