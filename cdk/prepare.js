/**
 * Builds dist/ after an install in a clone, and before the package is packed.
 *
 * npm calls these `dependencies` and `prepack`. An install leaves out what nothing in a clone reads and takes half of
 * the time: the types and the archives of the tarball. `npm run build` makes all.
 * The script `prepare` would do both, and npm warns of it wherever the tarball is installed.
 * Plain JavaScript, so that any Node reads it. Where the dev tools are not installed (`--omit=dev`) there is nothing
 * to build with, and the install goes on.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { resolve } = createRequire(import.meta.url);
const installed = (name) => {
  try {
    return resolve(name) !== '';
  } catch {
    return false;
  }
};

if (['typescript/package.json', 'esbuild', 'rolldown', 'rolldown-plugin-dts', 'tsx'].every(installed)) {
  // tsx only where Node itself does not read TypeScript yet.
  const loader = process.features.typescript ? [] : ['--import', 'tsx'];
  const build = fileURLToPath(new URL('./build.ts', import.meta.url));
  const options = process.env.npm_lifecycle_event === 'prepack' ? [] : ['--unpacked'];
  const { status, error } = spawnSync(process.execPath, [...loader, build, ...options], { stdio: 'inherit' });
  if (error) console.error(`countersign: ${error.message}`);
  process.exitCode = status ?? 1;
} else {
  console.log('countersign: the dev tools are not installed, so dist/ is not built');
}
