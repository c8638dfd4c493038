/**
 * Resolves the imports of our own files, so that Vitest's main process hears of none of them.
 *
 * Vitest sends it a message for each import, by which it knows what to run again while somebody edits files.
 */
import { registerHooks } from 'node:module';

/** Names a file of its own, as `./name.ts`: there is nothing to look up. */
const OWN = /^\.\.?\/.*\.ts$/;

/** Files of one process share its hooks. */
const shared = globalThis as { countersignImports?: true };
if (process.env['VITEST_MODE'] === 'RUN' && !shared.countersignImports) {
  shared.countersignImports = true;
  registerHooks({
    resolve: (specifier, context, next) =>
      context.parentURL !== undefined && OWN.test(specifier)
        ? { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
        : next(specifier, context),
  });
}
