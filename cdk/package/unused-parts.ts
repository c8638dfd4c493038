/** Leaves out of a bundle parts of packages that no function calls, and that esbuild keeps. */
import type { Plugin } from 'esbuild';

/** A module of a package, and the text that a bundle has in its place. A name that is missing there fails the build. */
const PLACES: readonly (readonly [file: RegExp, contents: string])[] = [
  // The enums of the module would be objects that nobody reads.
  [
    /[\\/]jsonc-parser[\\/]lib[\\/]esm[\\/]main\.js$/,
    "export { createScanner } from './impl/scanner'; export { parse } from './impl/parser';",
  ],
  // Signs messages of an event stream: each signer makes one, and functions send requests alone.
  [
    /[\\/]@smithy[\\/]signature-v4[\\/]dist-es[\\/]HeaderFormatter\.js$/,
    "export class HeaderFormatter { format() { throw new Error('this bundle signs no messages of streams'); } }",
  ],
];

export const withoutUnusedParts: Plugin = {
  name: 'without-unused-parts',
  setup({ onLoad }) {
    for (const [filter, contents] of PLACES) onLoad({ filter }, () => ({ contents }));
  },
};
