/**
 * Lists functions that few events need.
 *
 * The bundles of functions import the module of each when it is called (`cdk/package/lazy-imports.ts`).
 */
export { decideChoice } from './decide-choice.ts';
export { decideInput } from './decide-input.ts';
